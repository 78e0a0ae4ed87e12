import { useMutation, useQueryClient } from '@tanstack/react-query'
import { cancelOperation, operationQuery, retryOperation } from '#dashboard/web/api/operations.ts'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'

/** Cancels an operation; `true` ends its programs by force. */
export function useCancel(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (force: boolean) => cancelOperation(id, force),
    onSuccess: (operation) => client.setQueryData(operationQuery(id).queryKey, operation),
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: ['operations'] }),
  })
}

/** Retries an operation; calls back with the id of the new one. */
export function useRetry(
  id: string,
  onRetried: (operation_id: string) => unknown = () => toast('The operation was started again'),
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (without_backup: boolean) => retryOperation(id, without_backup),
    onSuccess: (operation_id) => {
      void client.invalidateQueries({ queryKey: ['operations'] })
      onRetried(operation_id)
    },
    onError: toastError,
  })
}
