import { RotateCw } from 'lucide-react'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useRetry } from '#dashboard/web/features/operations/use-actions.ts'
import { useShowOperation } from '#dashboard/web/features/sites/use-show-operation.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { OpenMove } from '#shared/moves/api/moves.ts'

/** A move that has not ended, or whose copy is still on a server that refused or was offline. */
export function OpenMoveNotice({ site, open }: { site: Site; open: OpenMove }) {
  const { mutate, isPending } = useRetry(open.operation_id, useShowOperation(site.id))
  const subject = open.undecided
    ? `The move between ${site.server} and ${open.other} has not ended`
    : `A move between ${site.server} and ${open.other} is not cleaned up`
  const meaning = open.undecided
    ? 'A retry finds out which of the two servers serves the site, and ends the move in one direction or the other.'
    : 'The site is on the server that is shown here, and no retry moves it.'
  return (
    <Notice
      kind="warn"
      title={subject}
      actions={
        // A retry of any other move would start a new move.
        open.undecided && (
          <Button icon={<RotateCw />} busy={isPending} onClick={() => mutate(false)}>
            Retry now
          </Button>
        )
      }
    >
      {open.reason}. {meaning} It is {open.undecided ? 'retried' : 'cleaned up'} automatically{' '}
      <Time at={open.next_at} none="later" />, if both servers are online then.
    </Notice>
  )
}
