import { Undo2 } from 'lucide-react'
import { undoRestore } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { formatTime } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import type { SiteBackups } from '#shared/api/backups.ts'

interface RestoredProps {
  site: Site
  undo: NonNullable<SiteBackups['undo']>
}

/** The last restore, which can be undone for a week. */
export function Restored({ site, undo: { at, until } }: RestoredProps) {
  const { dialog, show } = useDialog()
  return (
    <>
      <Notice
        kind="info"
        title={`Restored the backup of ${formatTime(at)} · Undo until ${formatTime(until)}`}
        actions={
          <Button icon={<Undo2 />} onClick={show}>
            Undo restore
          </Button>
        }
      >
        The previous state is kept on the server until then.
      </Notice>
      <WorkDialog
        {...dialog}
        title={`Undo the restore of ${site.domain}?`}
        about="The files and the database that were replaced come back. What has changed on the site since the restore is lost: back it up first to keep it."
        site={site}
        work={undoRestore(site)}
        action="Undo restore"
        isDestructive
      />
    </>
  )
}
