import { getSettings } from '#dashboard/features/settings/queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { awaitOutcome } from '#dashboard/kernel/engine/enqueue.ts'
import { type StartDeps, startOrPlan } from '#dashboard/kernel/engine/start-operation.ts'
import { randomOf } from '#dashboard/kernel/runtime/random.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { ClientLogin } from '#shared/access/api/access.ts'
import { siteAccessType } from '#shared/access/site.access.ts'
import type { ClientAccount } from '#shared/access/site-clients.ts'
import { conflict, notFound } from '#shared/kernel/errors.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import { MAX_CLIENTS } from '#shared/kernel/reported-clients.ts'
import type { InputOf } from '#shared/operation-types.ts'
import { listClientsOf } from './queries.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'
/** The password has 144 bits: nobody can guess it, also with its hash. */
const PASSWORD_BYTES = 18
const COST = 10

export async function clientsFor(
  db: Database,
  site_id: number,
  { clients, end_clients }: Pick<InputOf<'site.access'>, 'clients' | 'end_clients'>,
): Promise<ClientAccount[]> {
  return end_clients ? [] : (clients ?? (await listClientsOf(db, site_id)))
}

interface NewClient {
  label: string
  expires_at: string | null
  install: boolean
  dry_run: boolean
}

/** Creates a client account. The records and the server have only the hash of its password. */
export async function createClient(
  deps: StartDeps,
  target: SiteTarget,
  { label, expires_at, install, dry_run }: NewClient,
): Promise<ClientLogin | { plan: Plan }> {
  await refuseWhileOff(deps.db)
  const known = await listClientsOf(deps.db, target.site.id)
  if (known.length >= MAX_CLIENTS)
    throw conflict(`A site has at most ${MAX_CLIENTS} client accounts: remove one first`)
  const token = randomOf(deps.random, LETTERS, 8)
  const { password, password_hash } = await newPassword(deps)
  const client = { token, label, expires_at, password_hash }
  return applyLogin(deps, target, { known, client, password, install, dry_run })
}

/** Replaces the password of a client account and ends its sessions, and no other ones. */
export async function resetPassword(
  deps: StartDeps,
  target: SiteTarget,
  {
    token,
    expires_at,
    dry_run,
  }: { token: string; expires_at?: string | null | undefined; dry_run: boolean },
): Promise<ClientLogin | { plan: Plan }> {
  await refuseWhileOff(deps.db)
  const all = await listClientsOf(deps.db, target.site.id)
  const former = findClient(all, token)
  const { password, password_hash } = await newPassword(deps)
  const until = expires_at === undefined ? former.expires_at : expires_at
  const client = { ...former, expires_at: until, password_hash }
  const known = all.filter((one) => one !== former)
  return applyLogin(deps, target, { known, client, password, install: false, dry_run })
}

export async function paramsWithout(db: Database, site_id: number, token: string) {
  const all = await listClientsOf(db, site_id)
  const client = findClient(all, token)
  return { label: client.label, clients: all.filter((one) => one !== client) }
}

interface NewLogin {
  known: ClientAccount[]
  client: ClientAccount
  password: string
  install: boolean
  dry_run: boolean
}

async function applyLogin(
  deps: StartDeps,
  target: SiteTarget,
  { known, client, password, install, dry_run }: NewLogin,
): Promise<ClientLogin | { plan: Plan }> {
  const input = { clients: [...known, client], install, dry_run }
  const started = await startOrPlan(deps, 'site.access', target, input)
  if ('plan' in started) return started
  const report = siteAccessType.outcome.result.parse(await awaitOutcome(deps, started))
  const { token, label, expires_at } = client
  const made = report.clients.find((one) => one.token === token)
  if (!made) throw conflict('The agent of this server did not create the account')
  const { ports, host_keys } = report
  const where = { host: target.server.hostname, ports, host_keys }
  return { token, label, login: made.login, password, expires_at, ...where }
}

function findClient(all: readonly ClientAccount[], token: string): ClientAccount {
  const client = all.find((one) => one.token === token)
  if (!client) throw notFound('Client account')
  return client
}

async function newPassword({ random }: Pick<StartDeps, 'random'>) {
  const password = Buffer.from(random(PASSWORD_BYTES)).toString('base64url')
  const password_hash = await Bun.password.hash(password, { algorithm: 'bcrypt', cost: COST })
  return { password, password_hash }
}

async function refuseWhileOff(db: Database): Promise<void> {
  if ((await getSettings(db)).client_accounts) return
  throw conflict(
    'Client accounts are turned off: turn on the setting client_accounts first, or add a person with a key',
  )
}
