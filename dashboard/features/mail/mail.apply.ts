import { z } from 'zod'
import { siteCall } from '#dashboard/features/backups/rule-parts.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import type {
  OperationRules,
  OperationTarget,
  Params,
  RulesDeps,
} from '#dashboard/kernel/engine/rules.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { StoredMail } from '#shared/mail/api/mail.ts'
import { isExposed, type MailChange } from '#shared/mail/mail.ts'
import { findMail, mailStatements, type StoredMailSetting } from './queries.ts'

const PASSWORD_PURPOSE = 'mail relay password'

/** The recorded params with the sealed password, which is decrypted for the agent alone. */
const Sealed = StoredMail.extend({ password_sealed: z.string() })

function storedSettingOf(params: Params): StoredMailSetting {
  const { password_sealed, ...setting } = Sealed.parse(params)
  return { setting, password_sealed }
}

/** Returns the params for an agent; without `sealer`, for a plan, they have no password. */
function paramsForAgent(params: Params, sealer?: Pick<Sealer, 'open'>): Params {
  const { password_sealed, ...rest } = params
  const { setting, password_sealed: sealed } = storedSettingOf(params)
  if (!setting.relay) return rest
  const password =
    sealed === '' || sealer === undefined ? '' : sealer.open(PASSWORD_PURPOSE, sealed).reveal()
  return { ...rest, relay: { ...setting.relay, password } }
}

/**
 * Seals the password. The previous one stays only for the same target: otherwise a user who may
 * change the host, but not see the password, could send it to another host.
 */
async function sealedPassword(
  { db, sealer }: Pick<RulesDeps, 'db' | 'sealer'>,
  { server, site }: Pick<OperationTarget, 'server' | 'site'>,
  relay: MailChange['relay'],
): Promise<string> {
  if (!relay || relay.user === '') return ''
  if (isExposed(relay)) {
    throw invalid({ 'relay.tls': ['Must not be none where a password is sent to another machine'] })
  }
  if (relay.password !== undefined) return sealer.seal(PASSWORD_PURPOSE, new Secret(relay.password))
  const kept = await findMail(db, { server_id: server.id, site_id: site?.id ?? null })
  const former = kept?.setting.relay
  const fields = ['host', 'port', 'tls', 'user'] as const
  if (kept && former && fields.every((field) => former[field] === relay[field])) {
    return kept.password_sealed
  }
  throw invalid({ 'relay.password': ['Is required, because the relay or its user has changed'] })
}

/** Returns the stored settings of a site as an agent gets them; undefined for a site without any. */
export async function storedMailOf(
  { db, sealer }: Pick<RulesDeps, 'db' | 'sealer'>,
  { id: site_id, server_id, domain }: Pick<SiteRow, 'id' | 'server_id' | 'domain'>,
): Promise<Params | undefined> {
  const stored = await findMail(db, { server_id, site_id })
  if (!stored) return undefined
  const { setting, password_sealed } = stored
  return paramsForAgent({ ...setting, password_sealed, domain }, sealer)
}

/** The password of the settings of a server or site is sealed: only the agent gets it. */
export const mailApply: OperationRules<'mail.apply'> = {
  ...siteCall,
  params: async (deps, target, { relay, ...rules }) => {
    const password_sealed = await sealedPassword(deps, target, relay)
    const { password: _, ...connection } = relay ?? {}
    const domain = target.site && { domain: target.site.domain }
    return { ...rules, relay: relay && connection, password_sealed, ...domain }
  },
  sent: paramsForAgent,
  succeeded:
    (_, { params }) =>
    (queries, subject, at) =>
      mailStatements(queries, subject, storedSettingOf(params), at),
  bulk: null,
}
