import { z } from 'zod'
import type { Params, RulesDeps, Target } from '#dashboard/operations/rules.ts'
import type { Sealer } from '#dashboard/trust/seal.ts'
import { StoredMail } from '#shared/api/mail.ts'
import { invalid } from '#shared/errors.ts'
import { isExposed, type MailChange } from '#shared/mail.ts'
import { Secret } from '#shared/secret.ts'
import { findMail, type KeptMail } from './queries.ts'

const PASSWORD_PURPOSE = 'mail relay password'

/** On record an operation has the password sealed: it is opened for the agent alone. */
const Sealed = StoredMail.extend({ password_sealed: z.string() })

/** What an operation on record sets. */
export function keptOf(params: Params): KeptMail {
  const { password_sealed, ...setting } = Sealed.parse(params)
  return { setting, password_sealed }
}

/** The params as an agent gets them; without `sealer`, for a plan, with no password. */
export function unsealed(params: Params, sealer?: Pick<Sealer, 'open'>): Params {
  const { password_sealed, ...rest } = params
  const { setting, password_sealed: sealed } = keptOf(params)
  if (!setting.relay) return rest
  const password =
    sealed === '' || sealer === undefined ? '' : sealer.open(PASSWORD_PURPOSE, sealed).reveal()
  return { ...rest, relay: { ...setting.relay, password } }
}

/**
 * The previous password stays only where it would go to the same place as before: otherwise who may
 * change the host, and not see the password, could have it sent to a host of his own.
 */
export async function sealedFor(
  { db, sealer }: Pick<RulesDeps, 'db' | 'sealer'>,
  { server, site }: Pick<Target, 'server' | 'site'>,
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
  throw invalid({ 'relay.password': ['Is required, since the relay or its user is another one'] })
}
