import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { invalid } from '#shared/errors.ts'
import { MAX_OBJECT_MEMORY } from '#shared/object-cache.ts'
import { bulkInUse, IN_USE, siteCall, siteOf } from './parts.ts'

/** The record of the agent has the memory: the page reads it there. */
export const siteObjectCache: OperationRules<'site.object-cache'> = {
  ...siteCall,
  ...bulkInUse,
  site: { states: IN_USE, found: false },
  params(_, target, { memory }) {
    const { domain, tier } = siteOf(target)
    const most = MAX_OBJECT_MEMORY[tier]
    if (memory !== null && memory > most) {
      throw invalid({ memory: [`Must be at most ${most} on the tier ${tier}`] })
    }
    return { domain, memory }
  },
  succeeded: () => NO_CHANGE,
}
