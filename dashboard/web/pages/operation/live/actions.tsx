import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCw, X } from 'lucide-react'
import type { OperationView } from '#shared/api/operations.ts'
import { messageOf } from '../../../api/client.ts'
import { isActive, retryOperation } from '../../../api/operations.ts'
import { Button } from '../../../ui/button.tsx'
import { tell } from '../../../ui/toasts.tsx'
import { useCancel } from './use-cancel.ts'

interface ActionsProps {
  operation: OperationView
  /** Hears of the operation that does the same once more. */
  onRetried: (operation_id: string) => void
}

export function Actions({ operation, onRetried }: ActionsProps) {
  const cancel = useCancel(operation.id)
  const retry = useRetry(operation.id, onRetried)
  if (isActive(operation))
    return (
      operation.cancel === null && (
        <Button
          icon={<X aria-hidden />}
          busy={cancel.isPending}
          onClick={() => cancel.mutate(false)}
        >
          Cancel
        </Button>
      )
    )
  if (operation.status === 'success') return null
  return (
    <Button
      kind="primary"
      icon={<RotateCw aria-hidden />}
      busy={retry.isPending}
      onClick={() => retry.mutate()}
    >
      Retry
    </Button>
  )
}

function useRetry(id: string, onRetried: (operation_id: string) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => retryOperation(id),
    onSuccess: (operation_id) => {
      void client.invalidateQueries({ queryKey: ['operations'] })
      onRetried(operation_id)
    },
    onError: (error) => tell(messageOf(error), { error: true }),
  })
}
