import { z } from 'zod'
import { paramsForAgent } from '#dashboard/features/backups/params.ts'
import { replacedBy, siteCall, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { liveSiteOf, sourceOf } from './copy-source.ts'

/** Stored params; those of a backup are sealed. */
const Stored = z.looseObject({
  from: z.looseObject({ kind: z.enum(['site', 'backup', 'next_backup']) }),
})

/** The rules of a refresh, which can be undone like the restore of a backup. */
export const siteRefresh: OperationRules<'site.refresh'> = {
  ...siteCall,
  params: async (deps, target, { from }) => {
    const { id, domain } = siteOf(target)
    const chosen = from ?? { kind: 'site' as const, site_id: await liveSiteOf(deps.db, id) }
    return { domain, from: (await sourceOf(deps, target.server.id, chosen)).from }
  },
  sent(params, sealer, with_password) {
    const { from, ...site } = Stored.parse(params)
    return {
      ...site,
      from: from.kind === 'backup' ? paramsForAgent(from, sealer, with_password) : from,
    }
  },
  succeeded: replacedBy('site.refresh'),
  bulk: null,
}
