import type { z } from 'zod'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { AddressRules } from '#dashboard/kernel/trust/addresses.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import type { CreateDnsAccount, DnsAccountView, UpdateDnsAccount } from '#shared/domains/api/dns.ts'
import { invalid, notFound } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { type Account, CloudflareError, RefusedApiError, readZones } from './cloudflare.ts'
import {
  type AccountRow,
  deleteAccount,
  findAccount,
  insertAccount,
  listAccounts,
  updateAccount,
} from './queries.ts'

export interface DnsDeps {
  db: Database
  clock: Clock
  sealer: Sealer
  /** The rules for addresses of agents, which hold for the API of a DNS account, too. */
  rules: AddressRules
}

const PURPOSE = 'dns account'

export async function getAccount({ db }: Pick<DnsDeps, 'db'>, id: number): Promise<AccountRow> {
  const account = await findAccount(db, id)
  if (!account) throw notFound('DNS account')
  return account
}

export async function showAccounts({ db }: Pick<DnsDeps, 'db'>): Promise<DnsAccountView[]> {
  return (await listAccounts(db)).map(viewOf)
}

const viewOf = ({ token_sealed: _, zones, ...account }: AccountRow): DnsAccountView => ({
  ...account,
  zones: zones.map(({ name }) => name).sort(),
})

/** Creates an account. Cloudflare is asked first: a token that it refuses is not stored. */
export async function createAccount(
  { db, clock, sealer, rules }: DnsDeps,
  { name, token, api }: z.output<typeof CreateDnsAccount>,
  user_id: number,
): Promise<DnsAccountView> {
  const zones = await requireZones({ api, token: new Secret(token), rules })
  const created_at = timestamp(clock)
  const token_sealed = sealer.seal(PURPOSE, new Secret(token))
  const values = { name, api, token_sealed, zones, checked_at: created_at, created_at }
  await insertAccount(
    db,
    values,
    entryOf(clock, { type: 'dns.account_create', user_id, created_at }),
  ).catch(nameTakenError)
  const created = (await showAccounts({ db })).find((account) => account.name === name)
  if (!created) throw new Error('insert returned no row')
  return created
}

/** Changes an account, and reads the zones again, also without a new token. */
export async function changeAccount(
  deps: DnsDeps,
  account: AccountRow,
  { name, token }: z.output<typeof UpdateDnsAccount>,
  user_id: number,
): Promise<DnsAccountView> {
  const { db, clock, sealer } = deps
  const access = accessTo(account, deps)
  const zones = await requireZones(
    token === undefined ? access : { ...access, token: new Secret(token) },
  )
  const at = timestamp(clock)
  const values = {
    zones,
    checked_at: at,
    ...(name !== undefined && { name }),
    ...(token !== undefined && { token_sealed: sealer.seal(PURPOSE, new Secret(token)) }),
  }
  await updateAccount(
    db,
    account.id,
    values,
    entryOf(clock, { type: 'dns.account_update', user_id, created_at: at }),
  ).catch(nameTakenError)
  return viewOf(await getAccount({ db }, account.id))
}

/** Removes an account, which changes nothing at Cloudflare. */
export const removeAccount = ({ db, clock }: DnsDeps, { id }: AccountRow, user_id: number) =>
  deleteAccount(db, id, entryOf(clock, { type: 'dns.account_delete', user_id }))

export const accessTo = (
  { api, token_sealed }: AccountRow,
  { sealer, rules }: Pick<DnsDeps, 'sealer' | 'rules'>,
): Account => ({ api, token: sealer.open(PURPOSE, token_sealed), rules })

async function requireZones(access: Account) {
  const zones = await readZones(access).catch((error: unknown) => {
    if (!(error instanceof CloudflareError)) throw error
    throw invalid({ [error instanceof RefusedApiError ? 'api' : 'token']: [error.message] })
  })
  if (zones.length === 0)
    throw invalid({ token: ['Cloudflare: the token has no access to a zone'] })
  return zones
}

function nameTakenError(error: unknown): never {
  if (!violatesUnique(error, 'dns_accounts.name')) throw error
  throw invalid({ name: ['The name is already taken'] })
}
