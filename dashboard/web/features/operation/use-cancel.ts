import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '#dashboard/web/api/client.ts'
import { cancelOperation, operationQuery } from '#dashboard/web/api/operations.ts'
import { tell } from '#dashboard/web/ui/toasts.tsx'

/** Cancels an operation; `true` ends its programs by force. */
export function useCancel(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (force: boolean) => cancelOperation(id, force),
    onSuccess: (operation) => client.setQueryData(operationQuery(id).queryKey, operation),
    onError: (error) => tell(messageOf(error), { error: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ['operations'] }),
  })
}
