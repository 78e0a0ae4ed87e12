import { siteCall, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import { refusePrimary } from '#dashboard/features/sites/refuse-primary.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

export const siteRenamePreview: OperationRules<'site.rename-preview'> = {
  ...siteCall,
  site: { states: ['active'], found: false },
  params: async ({ db }, target, { primary }) => {
    const site = siteOf(target)
    await refusePrimary(db, site, { primary, former: 'redirect' })
    return { domain: site.domain, primary }
  },
  succeeded: () => NO_CHANGE,
  bulk: null,
}
