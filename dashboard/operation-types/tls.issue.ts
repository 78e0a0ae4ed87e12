import { findAddress } from '#dashboard/auth/queries.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { bulkInUse, siteCall, siteOf } from './parts.ts'
import { setSite } from './queries.ts'

export const tlsIssue: OperationRules<'tls.issue'> = {
  ...siteCall,
  ...bulkInUse,
  params: async ({ db }, target, { tls }) => {
    const { domain, email } = siteOf(target)
    const address = target.actor === null ? undefined : await findAddress(db, target.actor)
    return { domain, tls, email: email || (address ?? '') }
  },
  succeeded: ({ tls, expires_at }) => setSite({ tls, certificate_expires_at: expires_at }),
}
