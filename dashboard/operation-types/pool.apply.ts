import type { OperationRules } from '#dashboard/operations/rules.ts'
import { Tier } from '#shared/fields.ts'
import { bulkInUse, siteCall, siteOf } from './parts.ts'
import { setSite } from './queries.ts'

export const poolApply: OperationRules<'pool.apply'> = {
  ...siteCall,
  ...bulkInUse,
  params: (_, target, { user, php_version, tier }) => ({
    user: user ?? siteOf(target).user,
    php_version: php_version ?? siteOf(target).php,
    tier,
  }),
  succeeded: (_, { params }) => setSite({ tier: Tier.parse(params.tier) }),
}
