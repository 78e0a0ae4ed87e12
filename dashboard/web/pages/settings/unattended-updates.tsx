import { useSave } from './use-save.ts'

/** Takes effect on each server within minutes; the configuration of an administrator stays. */
export function UnattendedUpdates({ value }: { value: boolean }) {
  const { save, isPending } = useSave('unattended_updates', 'Unattended security updates')
  return (
    <label className="flex items-start gap-3">
      <input
        type="checkbox"
        checked={value}
        disabled={isPending}
        onChange={(event) => save(event.target.checked)}
        className="mt-0.5 size-4 accent-accent-solid"
      />
      <span>
        <span className="font-medium">Unattended security updates</span>
        <span className="mt-1 block text-xs text-muted">
          Servers install the security updates of Debian automatically each day, and restart the
          affected services without interrupting sites. The configuration of an administrator on a
          server is not changed.
        </span>
      </span>
    </label>
  )
}
