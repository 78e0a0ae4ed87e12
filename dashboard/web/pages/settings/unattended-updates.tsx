import { CheckField } from '#dashboard/web/ui/check.tsx'
import { useSave } from './use-save.ts'

/** Takes effect on each server within minutes; the configuration of an administrator stays. */
export function UnattendedUpdates({ value }: { value: boolean }) {
  const { save, isPending } = useSave('unattended_updates', 'Unattended security updates')
  return (
    <CheckField
      label="Unattended security updates"
      about="Servers install the security updates of Debian automatically each day, and restart the affected services without interrupting sites. The configuration of an administrator on a server is not changed."
      checked={value}
      disabled={isPending}
      onChange={save}
    />
  )
}
