import { Undo2 } from 'lucide-react'
import { undoRestore } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { formatTime } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import type { SiteBackups } from '#shared/backups/api/backups.ts'
import type { Replacement } from '#shared/backups/backup-schedule.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

interface RestoredProps {
  site: Site
  undo: NonNullable<SiteBackups['undo']>
}

const TEXTS: Record<Replacement, { done: (at: string) => string; about: string; action: string }> =
  {
    'backup.restore': {
      done: (at) => `Restored the backup of ${at}`,
      about: 'the restore',
      action: 'Undo restore',
    },
    'database.import': {
      done: (at) => `Imported a dump into the database at ${at}`,
      about: 'the import',
      action: 'Undo import',
    },
    'site.push': {
      done: (at) => `Replaced by a push of the staging site of ${at}`,
      about: 'the push',
      action: 'Undo push',
    },
    'site.refresh': {
      done: (at) => `Refreshed with the state of ${at}`,
      about: 'the refresh',
      action: 'Undo refresh',
    },
  }

/** The last operation that replaced the state of the site; it can be undone for a week. */
export function Restored({ site, undo: { cause, at, until } }: RestoredProps) {
  const { done, about, action } = TEXTS[cause]
  const { dialog, show } = useDialog()
  return (
    <>
      <Notice
        kind="info"
        title={`${done(formatTime(at))} · Undo until ${formatTime(until)}`}
        actions={
          <Button icon={<Undo2 />} onClick={show}>
            {action}
          </Button>
        }
      >
        The previous state is kept on the server until then.
      </Notice>
      <WorkDialog
        {...dialog}
        title={`${action} of ${unicodeOf(site.domain)}?`}
        about={`The replaced files and the replaced database are restored. What has changed on the site since ${about} is lost: back it up first to keep it.`}
        site={site}
        work={undoRestore(site)}
        action={action}
        isDestructive
      />
    </>
  )
}
