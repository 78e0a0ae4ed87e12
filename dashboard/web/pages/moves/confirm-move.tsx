import { confirmMove } from '#dashboard/web/api/moves.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { ShownMove } from '#shared/moves/api/moves.ts'
import { dnsText } from './dns-text.ts'

interface ConfirmMoveProps extends DialogState {
  site: Site
  shown: ShownMove
}

/** The last step: visitors who still come to the former server are not served any more. */
export function ConfirmMove({ site, shown, ...dialog }: ConfirmMoveProps) {
  const other = shown.move?.other ?? 'The former server'
  return (
    <WorkDialog
      {...dialog}
      title={`Confirm the move of ${unicodeOf(site.domain)}?`}
      about={`${other} stops forwarding visitors, and its copy moves to the trash there. The move cannot be undone after that.`}
      site={site}
      work={confirmMove(site)}
      action="Confirm move"
      isDestructive={shown.dns !== 'new'}
    >
      <Notice
        kind={shown.dns === 'new' ? 'info' : 'warn'}
        title={shown.dns === 'new' ? 'DNS points to this server' : 'Visitors may lose the site'}
      >
        {dnsText(shown)}
      </Notice>
    </WorkDialog>
  )
}
