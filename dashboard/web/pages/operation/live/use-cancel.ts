import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '../../../api/client.ts'
import { cancelOperation, operationQuery } from '../../../api/operations.ts'
import { tell } from '../../../ui/toasts.tsx'

/** Asks for the end of an operation; `true` for the harder way. */
export function useCancel(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (force: boolean) => cancelOperation(id, force),
    onSuccess: (operation) => client.setQueryData(operationQuery(id).queryKey, operation),
    onError: (error) => tell(messageOf(error), { error: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ['operations'] }),
  })
}
