import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '#dashboard/web/api/client.ts'
import { retryOperation } from '#dashboard/web/api/operations.ts'
import { tell } from '#dashboard/web/ui/toasts.tsx'

/** Retries an operation; calls back with the new one. */
export function useRetry(
  id: string,
  onRetried: (operation_id: string) => void = () => tell('The operation was started again'),
) {
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
