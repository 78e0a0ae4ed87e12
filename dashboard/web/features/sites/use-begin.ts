import { useQueryClient } from '@tanstack/react-query'
import { rememberPlan } from '#dashboard/web/api/known-plans.ts'
import { beginWork, planQuery, type SiteWork } from '#dashboard/web/api/site-work.ts'
import { useShowOperation } from './use-show-operation.ts'

/** Begins some work on a site, and shows on its page how it goes on. */
export function useBegin(id: number) {
  const client = useQueryClient()
  const show = useShowOperation(id)
  return async (work: SiteWork) => {
    const operation = await beginWork(work)
    const plan = client.getQueryData(planQuery(work).queryKey)
    if (operation && plan) rememberPlan(operation, plan)
    await show(operation)
    return operation
  }
}
