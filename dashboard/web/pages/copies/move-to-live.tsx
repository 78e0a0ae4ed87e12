import { moveSite } from '#dashboard/web/api/moves.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import type { SiteCopy } from '#shared/copies/api/copies.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { Live } from './staging-card.tsx'

/** Moves a staging site to the server of its live site, where the two can be compared. */
export function MoveToLive({
  staging,
  live,
  ...dialog
}: DialogState & { staging: SiteCopy; live: Live }) {
  return (
    <WorkDialog
      {...dialog}
      title={`Move ${unicodeOf(staging.domain)} to the server of ${unicodeOf(live.domain)}`}
      about="The staging site keeps its address, password, files and database, with all changes made on it."
      site={staging}
      work={moveSite(staging, live.server_id)}
      action="Move staging site"
    >
      <Notice kind="info" title={`${staging.server} forwards visitors until you confirm the move`}>
        You can push as soon as the move ends. Change DNS when it suits you, and confirm the move
        after that.
      </Notice>
    </WorkDialog>
  )
}
