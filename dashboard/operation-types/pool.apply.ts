import type { OperationRules } from '#dashboard/operations/rules.ts'
import { Tier } from '#shared/fields.ts'
import { bulkInUse, siteCall, siteOf } from './parts.ts'
import { setSite } from './queries.ts'

export const poolApply: OperationRules<'pool.apply'> = {
  ...siteCall,
  ...bulkInUse,
  params: (_, target, input) => {
    const { user, php } = siteOf(target)
    return { user: input.user ?? user, php_version: input.php_version ?? php, tier: input.tier }
  },
  succeeded: (_, { params }) => setSite({ tier: Tier.parse(params.tier) }),
}
