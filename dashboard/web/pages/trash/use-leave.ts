import { useMutation, useQueryClient } from '@tanstack/react-query'
import { beginWork, type SiteWork } from '#dashboard/web/api/site-work.ts'
import { trashQuery } from '#dashboard/web/api/trash.ts'

/** Begins the way of a site out of the trash, and shows at once that it is on it. */
export function useLeave() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (work: SiteWork) => beginWork(work),
    onSuccess: () => client.invalidateQueries({ queryKey: trashQuery.queryKey }),
  })
}
