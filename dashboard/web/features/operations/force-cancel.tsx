import { useEffect, useState } from 'react'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import type { OperationView } from '#shared/operations/api/operations.ts'
import { useCancel } from './use-actions.ts'

/** Programs get ten seconds to end; then changes are undone. */
const OFFER_MS = 15_000

/** The state of a cancel request; forced cancellation is offered when it takes long. */
export function ForceCancel({ operation: { id, cancel } }: { operation: OperationView }) {
  const isLong = useTimeout(OFFER_MS)
  const { mutate, isPending } = useCancel(id)
  if (cancel === 'forced')
    return (
      <Notice kind="info" title="Ending by force">
        Its programs are ended at once, and its changes are undone.
      </Notice>
    )
  return (
    <Notice
      kind="info"
      title="Cancelling"
      actions={
        isLong && (
          <Button busy={isPending} onClick={() => mutate(true)}>
            End by force
          </Button>
        )
      }
    >
      Running programs receive a request to end, and changes are undone.
      {isLong &&
        ' This takes long. End by force to end the programs at once; changes are undone as well.'}
    </Notice>
  )
}

/** Whether the time since the component appeared has passed. */
function useTimeout(ms: number): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isOver
}
