import { z } from 'zod'
import { bulkInUse, IN_USE, siteCall, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import { newSitePassword } from '#dashboard/features/sites/settings/password.ts'
import { settingsStatements } from '#dashboard/features/sites/settings/queries.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { beyondTier } from '#shared/sites/site-settings.ts'

const Sealed = z.object({ password_sealed: z.string().optional() })

/** A new password is generated here: the record gets it sealed, and the agent its hash. */
export const siteConfigure: OperationRules<'site.configure'> = {
  ...siteCall,
  ...bulkInUse,
  site: { states: IN_USE, found: false },
  params(deps, target, { basic_auth, ...change }) {
    const { domain, tier } = siteOf(target)
    const beyond = change.php_settings ? beyondTier(change.php_settings, tier) : []
    if (beyond.length > 0) throw invalid({ php_settings: beyond })
    if (basic_auth === undefined) return { domain, ...change }
    if (basic_auth === null) return { domain, ...change, basic_auth }
    return { domain, ...change, ...newSitePassword(deps, basic_auth.user) }
  },
  sent: ({ password_sealed: _, ...params }) => params,
  succeeded:
    (report, { params }) =>
    (queries, { site_id }) =>
      site_id === null
        ? []
        : settingsStatements(queries, site_id, report, Sealed.parse(params).password_sealed),
}
