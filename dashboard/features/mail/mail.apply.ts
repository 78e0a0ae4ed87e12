import { siteCall } from '#dashboard/features/backups/parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { keptOf, sealedFor, unsealed } from './params.ts'
import { mailStatements } from './queries.ts'

/** For a server, or one of its sites. The recorded password is sealed: only the agent gets it. */
export const mailApply: OperationRules<'mail.apply'> = {
  ...siteCall,
  params: async (deps, target, { relay, ...rules }) => {
    const password_sealed = await sealedFor(deps, target, relay)
    const { password: _, ...connection } = relay ?? {}
    const domain = target.site && { domain: target.site.domain }
    return { ...rules, relay: relay && connection, password_sealed, ...domain }
  },
  sent: unsealed,
  succeeded:
    (_, { params }) =>
    (queries, subject, at) =>
      mailStatements(queries, subject, keptOf(params), at),
  bulk: null,
}
