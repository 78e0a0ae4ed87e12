import { replacedBy, siteCall, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { copyParamsForAgent, liveSiteOf, retriedSource, sourceOf } from './copy-source.ts'

/** The rules of a refresh, which can be undone like the restore of a backup. */
export const siteRefresh: OperationRules<'site.refresh'> = {
  ...siteCall,
  params: async (deps, target, { from }) => {
    const { id, domain } = siteOf(target)
    const chosen = from ?? { kind: 'site' as const, site_id: await liveSiteOf(deps.db, id) }
    return { domain, from: (await sourceOf(deps, target.server.id, chosen)).from }
  },
  sent: copyParamsForAgent,
  succeeded: replacedBy('site.refresh'),
  bulk: null,
  retry_also: retriedSource,
}
