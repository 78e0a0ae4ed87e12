import { bulkInUse, siteCall, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { siteUpdate } from './site.update.ts'

/** It is `site.update` of the tier, for a site that is named by its pool. */
export const poolApply: OperationRules<'pool.apply'> = {
  ...siteCall,
  ...bulkInUse,
  params: (_, target, { user, php_version, tier }) => ({
    user: user ?? siteOf(target).user,
    php_version: php_version ?? siteOf(target).php,
    tier,
  }),
  succeeded: siteUpdate.succeeded,
}
