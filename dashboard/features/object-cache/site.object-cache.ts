import { bulkInUse, IN_USE, siteCall, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { MAX_OBJECT_MEMORY } from '#shared/object-cache/object-cache.ts'

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
