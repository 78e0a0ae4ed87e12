import { RotateCw, X } from 'lucide-react'
import { isActive } from '#dashboard/web/api/operations.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import type { OperationView } from '#shared/api/operations.ts'
import { useCancel } from './use-cancel.ts'
import { useRetry } from './use-retry.ts'

interface ActionsProps {
  operation: OperationView
  /** Called with the id of the retry. */
  onRetried: (operation_id: string) => void
}

export function Actions({ operation, onRetried }: ActionsProps) {
  const cancel = useCancel(operation.id)
  const retry = useRetry(operation.id, onRetried)
  if (isActive(operation))
    return (
      operation.cancel === null && (
        <Button icon={<X />} busy={cancel.isPending} onClick={() => cancel.mutate(false)}>
          Cancel
        </Button>
      )
    )
  if (operation.status === 'success') return null
  return (
    <Button
      kind="primary"
      icon={<RotateCw />}
      busy={retry.isPending}
      onClick={() => retry.mutate()}
    >
      Retry
    </Button>
  )
}
