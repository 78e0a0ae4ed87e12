import { X } from 'lucide-react'
import { BACKUPS, dismissRestoreRequest } from '#dashboard/web/api/backups.ts'
import type { SitePlace } from '#dashboard/web/api/site-call.ts'
import { ActionButton } from '#dashboard/web/ui/action-button.tsx'
import { formatTime } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { SiteBackups } from '#shared/backups/api/backups.ts'

interface RestoreRequestProps {
  site: SitePlace
  request: NonNullable<SiteBackups['requested']>
}

/** The request of a client; a restore of any backup ends it. */
export function RestoreRequest({ site, request }: RestoreRequestProps) {
  const { at, by, email, note, backup_at } = request
  const what = backup_at === null ? 'a backup' : `the backup of ${formatTime(backup_at)}`
  return (
    <Notice
      kind="wait"
      title={`${by} asks to restore ${what}`}
      actions={
        <ActionButton
          needs="operate"
          icon={<X />}
          call={() => dismissRestoreRequest(site)}
          done="The request is dismissed"
          changes={[BACKUPS, ['fleet']]}
        >
          Dismiss request
        </ActionButton>
      }
    >
      <p>
        {email}, <Time at={at} />. Restore a backup, or answer the client and dismiss the request.
      </p>
      {note !== '' && <p className="whitespace-pre-line">{note}</p>}
    </Notice>
  )
}
