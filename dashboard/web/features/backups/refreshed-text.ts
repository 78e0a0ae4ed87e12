import { formatCount } from '#dashboard/web/ui/format.ts'
import type { RefreshedBackups } from '#shared/backups/api/backup-list.ts'

export function refreshedText({ gone, found }: RefreshedBackups): string {
  const parts = [
    gone > 0 && `${formatCount(gone, 'backup')} no longer stored`,
    found > 0 && `${formatCount(found, 'backup')} added`,
  ].filter((part) => part !== false)
  return parts.length === 0 ? 'The list is complete' : parts.join(', ')
}
