import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SiteWork, startWork } from '#dashboard/web/api/site-work.ts'
import { trashQuery } from '#dashboard/web/api/trash.ts'

/** Starts the restore or deletion of a site in the trash, and shows that at once. */
export function useLeave() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (work: SiteWork) => startWork(work),
    onSuccess: () => client.invalidateQueries({ queryKey: trashQuery.queryKey }),
  })
}
