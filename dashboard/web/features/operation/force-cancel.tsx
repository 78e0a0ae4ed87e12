import { useEffect, useState } from 'react'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import type { OperationView } from '#shared/api/operations.ts'
import { useCancel } from './use-cancel.ts'

/** Programs get ten seconds to end by themselves; undoing comes after. */
const PATIENCE_MS = 15_000

/** Its end was asked for; the harder way is offered when that takes long. */
export function ForceCancel({ operation: { id, cancel } }: { operation: OperationView }) {
  const isLong = useLater(PATIENCE_MS)
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
      Running programs are asked to end, and changes are undone.
      {isLong &&
        ' This takes long. End by force to end the programs at once; changes are undone as well.'}
    </Notice>
  )
}

function useLater(ms: number): boolean {
  const [isLater, setLater] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isLater
}
