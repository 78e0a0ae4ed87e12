import { useState } from 'react'
import { moveSiteBack } from '#dashboard/web/api/moves.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { formatTime } from '#dashboard/web/ui/format.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { SiteMove } from '#shared/moves/api/moves.ts'

interface MoveBackProps extends DialogState {
  site: Site
  move: SiteMove
}

/** Keeps the changes since the move, unless the user discards them. */
export function MoveBack({ site, move, ...dialog }: MoveBackProps) {
  const [discards, setDiscards] = useState(false)
  return (
    <WorkDialog
      {...dialog}
      title={`Move ${unicodeOf(site.domain)} back to ${move.other}?`}
      about="Changes since the move are kept, settings included. For some seconds, visitors see that the site is moving. Then this server forwards its visitors."
      site={site}
      work={moveSiteBack(site, discards)}
      action={discards ? 'Move back without changes' : 'Move site back'}
      isDestructive={discards}
    >
      <CheckField
        label="Discard the changes since the move"
        about={`Orders, posts and files since ${formatTime(move.moved_at)} are then missing in the site. They stay on this server until the move is confirmed.`}
        checked={discards}
        onChange={setDiscards}
      />
    </WorkDialog>
  )
}
