import { z } from 'zod'
import { IN_USE, siteCall, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { passwordStatements } from './queries.ts'
import { newAccess, requireAccess } from './staging-access.ts'

const Sealed = z.object({ password_sealed: z.string() })

/** The password is generated here: the record gets it sealed, and the agent its hash. */
export const stagingPassword: OperationRules<'staging.password'> = {
  ...siteCall,
  site: { states: IN_USE, found: false },
  async params(deps, target) {
    const site = siteOf(target)
    await requireAccess(deps.db, site)
    const { agent, record } = newAccess(deps)
    const { password_hash } = agent
    return { domain: site.domain, password_hash, password_sealed: record.password_sealed }
  },
  sent: ({ password_sealed: _, ...params }) => params,
  succeeded:
    (_, { params }) =>
    (queries, { site_id }) =>
      site_id === null
        ? []
        : passwordStatements(queries, site_id, Sealed.parse(params).password_sealed),
  bulk: null,
}
