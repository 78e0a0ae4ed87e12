import { useMutation, useQueryClient } from '@tanstack/react-query'
import { cancelOperation, isActive, operationQuery } from '#dashboard/web/api/operations.ts'
import { restoreSite, type SiteWork } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'

/** Moves a site to the trash, and offers to undo it. */
export function useTrash(site: Site) {
  const client = useQueryClient()
  const start = useStart(site.id)
  const { mutate } = useMutation({
    mutationFn: async (operation_id: string) => {
      const operation = await client.fetchQuery({ ...operationQuery(operation_id), staleTime: 0 })
      if (isActive(operation)) await cancelOperation(operation_id)
      else await start(restoreSite(site))
    },
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: ['operations'] }),
  })
  return async (work: SiteWork) => {
    const operation = await start(work)
    if (operation === undefined) return
    const undo = { name: 'Undo', act: () => mutate(operation) }
    toast(`Moving ${site.domain} to the trash`, { undo })
  }
}
