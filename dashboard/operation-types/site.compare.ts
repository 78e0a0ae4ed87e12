import { stagingOf } from '#dashboard/copies/source.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { NO_CHANGE } from '#dashboard/operations/rules.ts'
import { siteCall, siteOf } from './parts.ts'

export const siteCompare: OperationRules<'site.compare'> = {
  ...siteCall,
  params: async ({ db }, target, { staging_id }) => {
    const { id, domain } = siteOf(target)
    return { domain, from: await stagingOf(db, id, staging_id) }
  },
  succeeded: () => NO_CHANGE,
  bulk: null,
}
