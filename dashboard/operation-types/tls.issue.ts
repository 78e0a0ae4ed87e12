import { findUser } from '#dashboard/auth/queries.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { atOnce, bulkInUse, onSite, siteOf, unchangedOtherwise } from './parts.ts'
import { setSite } from './queries.ts'

export const tlsIssue: OperationRules<'tls.issue'> = {
  ...onSite,
  ...atOnce,
  ...bulkInUse,
  ...unchangedOtherwise,
  params: async ({ db }, target, { tls }) => {
    const { domain, email } = siteOf(target)
    const caller = target.actor === null ? undefined : await findUser(db, target.actor)
    return { domain, tls, email: email || (caller?.email ?? '') }
  },
  succeeded: ({ tls, expires_at }) => setSite({ tls, certificate_expires_at: expires_at }),
}
