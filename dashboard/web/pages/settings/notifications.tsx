import { useSave } from './use-save.ts'

/** Kept, and without effect so far: nothing here sends mail yet. */
export function Notifications({ value }: { value: boolean }) {
  const { save, isPending } = useSave('email_notifications', 'E-mail notifications')
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
        <span className="font-medium">E-mail notifications</span>
        <span className="mt-1 block text-xs text-muted">
          This version does not send e-mail yet. Your choice is kept for when it does.
        </span>
      </span>
    </label>
  )
}
