import { bulkInUse, siteCall, siteOf } from '#dashboard/features/backups/parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { setSite } from '#dashboard/kernel/engine/types/queries.ts'
import { Tier } from '#shared/kernel/fields.ts'

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
