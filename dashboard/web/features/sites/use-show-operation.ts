import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { SiteWork } from '#dashboard/web/api/site-call.ts'
import { startWork } from '#dashboard/web/api/site-work.ts'
import { siteQuery } from '#dashboard/web/api/sites.ts'

/** Shows an operation on the page of its site: also after a reload. Undefined hides it. */
export function useShowOperation(id: number) {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async (operation: string | undefined) => {
    const params = { site_id: String(id) }
    await navigate({
      to: '/sites/$site_id',
      params,
      search: ({ tab }) => ({ ...(tab && { tab }), ...(operation && { operation }) }),
    })
    void client.invalidateQueries({ queryKey: siteQuery(id).queryKey })
    void client.invalidateQueries({ queryKey: ['sites'] })
  }
}

/** Starts work on a site and shows its operation. */
export function useStart(id: number) {
  const show = useShowOperation(id)
  return async (work: SiteWork) => {
    const operation = await startWork(work)
    await show(operation)
    return operation
  }
}
