import { bulkInUse, siteCall, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import { findAddress } from '#dashboard/kernel/auth/queries.ts'
import { setSite } from '#dashboard/kernel/engine/record-changes.queries.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { TlsMode } from '#shared/kernel/fields.ts'

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
