import { findAddress } from '#dashboard/auth/queries.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { TlsMode } from '#shared/fields.ts'
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
  succeeded: ({ expires_at }, { params }) =>
    setSite({ tls: TlsMode.parse(params.tls), certificate_expires_at: expires_at }),
}
