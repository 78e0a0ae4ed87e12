import { RotateCw } from 'lucide-react'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useRetry } from '#dashboard/web/features/operation/use-actions.ts'
import { useShowOperation } from '#dashboard/web/features/sites/use-show-operation.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { OpenMove } from '#shared/api/moves.ts'

/** What a move has left on a server that refused or was gone. */
export function OpenMoveNotice({ site, open }: { site: Site; open: OpenMove }) {
  const { mutate, isPending } = useRetry(open.operation_id, useShowOperation(site.id))
  const subject = open.undecided
    ? `The move between ${site.server} and ${open.other} has not ended`
    : `A move between ${site.server} and ${open.other} is not cleaned up`
  const meaning = open.undecided
    ? 'A repeat finds out which of the two serves the site, and ends the move in one direction or the other.'
    : 'The site is on the server that is shown here, and no repeat moves it.'
  return (
    <Notice
      kind="warn"
      title={subject}
      actions={
        // The retry of any other move would begin a new one.
        open.undecided && (
          <Button icon={<RotateCw />} busy={isPending} onClick={() => mutate(false)}>
            Repeat now
          </Button>
        )
      }
    >
      {open.reason}. {meaning} It is {open.undecided ? 'repeated' : 'cleaned up'} without you{' '}
      <Time at={open.next_at} none="later" />, if both servers are online then.
    </Notice>
  )
}
