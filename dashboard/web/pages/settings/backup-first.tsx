import { CheckField } from '#dashboard/web/ui/check.tsx'
import { useSave } from './use-save.ts'

export function BackupFirst({ value }: { value: boolean }) {
  const { save, isPending } = useSave('backup_first', 'Backup before changes')
  return (
    <CheckField
      label="Backup before changes"
      about="Before another PHP version, a push, a deletion, and all updates of a server, a site without a backup of the last hour is backed up. If the backup fails, nothing changes. A tag or a site can have its own choice; staging sites are left out."
      checked={value}
      disabled={isPending}
      onChange={save}
    />
  )
}
