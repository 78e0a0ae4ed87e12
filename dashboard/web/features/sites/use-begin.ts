import { beginWork, type SiteWork } from '#dashboard/web/api/site-work.ts'
import { useShowOperation } from './use-show-operation.ts'

/** Starts work on a site and shows its operation. */
export function useBegin(id: number) {
  const show = useShowOperation(id)
  return async (work: SiteWork) => {
    const operation = await beginWork(work)
    await show(operation)
    return operation
  }
}
