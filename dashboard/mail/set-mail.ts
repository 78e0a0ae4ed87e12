import type { Database } from '#dashboard/db/client.ts'
import type { ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, begin } from '#dashboard/operations/begin.ts'
import { type PlanDeps, planOf } from '#dashboard/operations/plan.ts'
import type { Sealer } from '#dashboard/trust/seal.ts'
import { SetMail, TestMail } from '#shared/api/mail.ts'
import { invalid } from '#shared/errors.ts'
import { isExposed } from '#shared/mail.ts'
import { parse } from '#shared/parse.ts'
import { Secret } from '#shared/secret.ts'
import { PASSWORD_PURPOSE } from './params.ts'
import { findMail, type MailTarget } from './queries.ts'

type Deps = BeginDeps & PlanDeps & { sealer: Sealer }

interface Place {
  server: ServerRow
  site?: SiteRow
  actor: number
}

const targetOf = ({ server, site }: Pick<Place, 'server' | 'site'>): MailTarget => ({
  server_id: server.id,
  site_id: site?.id ?? null,
})

/** The records follow when the agent has it. 503 when the agent is away. */
export async function setMail(deps: Deps, place: Place, input: unknown) {
  const { dry_run, relay, ...rules } = parse(SetMail, input)
  const { password, ...connection } = relay ?? {}
  const password_sealed = await sealedFor(deps, place, relay)
  const params = {
    ...rules,
    relay: relay && connection,
    password_sealed,
    ...(place.site && { domain: place.site.domain }),
  }
  return started(deps, place, { type: 'mail.apply', params }, dry_run)
}

/** Through the relay that is set, not one that is being typed. 503 when the agent is away. */
export async function testMail(deps: Deps, place: Place, input: unknown) {
  const { dry_run, to } = parse(TestMail, input)
  const params = { to, ...(place.site && { domain: place.site.domain }) }
  return started(deps, place, { type: 'mail.check', params }, dry_run)
}

async function started(
  deps: Deps,
  { server, site, actor }: Place,
  wanted: { type: 'mail.apply' | 'mail.check'; params: Record<string, unknown> },
  dry_run: boolean,
) {
  const where = { server, ...(site && { site }) }
  if (dry_run) return planOf(deps, { ...where, ...wanted })
  return begin(deps, { ...where, ...wanted, actor, patient: false })
}

/**
 * That of before stays only where it would go to the same place as before: otherwise who may change
 * the host, and not see the password, could have it sent to a host of his own.
 */
async function sealedFor(
  { db, sealer }: { db: Database; sealer: Sealer },
  place: Place,
  relay: {
    host: string
    port: number
    tls: 'starttls' | 'implicit' | 'none'
    user: string
    password?: string | undefined
  } | null,
): Promise<string> {
  if (!relay || relay.user === '') return ''
  if (isExposed(relay)) {
    throw invalid({ 'relay.tls': ['Must not be none where a password is sent to another machine'] })
  }
  if (relay.password !== undefined) return sealer.seal(PASSWORD_PURPOSE, new Secret(relay.password))
  const kept = await findMail(db, targetOf(place))
  const former = kept?.setting.relay
  const fields = ['host', 'port', 'tls', 'user'] as const
  if (kept && former && fields.every((field) => former[field] === relay[field])) {
    return kept.password_sealed
  }
  throw invalid({ 'relay.password': ['Is required, since the relay or its user is another one'] })
}
