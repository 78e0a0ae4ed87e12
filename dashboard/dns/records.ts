import { isIPv6 } from 'node:net'
import type { z } from 'zod'
import { namesOf } from '#dashboard/domains/names.queries.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { reachable } from '#dashboard/targets/addresses.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import type { DnsRecordPlan, SetDnsRecords } from '#shared/api/dns.ts'
import { conflict, invalid, messageOf } from '#shared/errors.ts'
import { canonicalDomain } from '#shared/names.ts'
import { allNamesOf } from '#shared/site-names.ts'
import { type DnsDeps, tokenOf } from './accounts.ts'
import {
  type Account,
  CloudflareError,
  type CloudflareRecord,
  createRecord,
  readRecords,
  removeRecord,
} from './cloudflare.ts'
import { type AccountRow, insertEntry, listAccounts } from './queries.ts'

const AUTOMATIC_TTL = 1

interface Found {
  account: AccountRow
  zone: { id: string; name: string }
}

/**
 * Lets a name of a site lead to its server. Records that lead elsewhere are replaced on request only;
 * a failure restores them. Throws conflict with the message of Cloudflare.
 */
export async function setRecords(
  deps: DnsDeps,
  { site, server }: SiteTarget,
  { replace, dry_run, ...asked }: z.output<typeof SetDnsRecords>,
  user_id: number,
): Promise<DnsRecordPlan> {
  const name = await nameOf(deps, site, asked.name)
  const found = zoneOf(await listAccounts(deps.db), name)
  if (!found) throw conflict(`No DNS account has the zone of ${name}: add one in the settings`)
  const { account, zone } = found
  const access = { api: account.api, token: tokenOf(account, deps.sealer) }
  const addresses = await reachable(server)
  const present = await read(readRecords(access, zone.id, name))
  const change = changeOf(present, addresses)
  const plan = { name, zone: zone.name, account: account.name, records: listOf(change) }
  if (dry_run || (change.create.length === 0 && change.remove.length === 0)) return plan
  if (change.remove.length > 0 && !replace) {
    const others = change.remove.map(({ type, content }) => `${type} ${content}`).join(', ')
    throw invalid({
      replace: [`Must be true, since ${name} has records that lead elsewhere: ${others}`],
    })
  }
  await read(applied(access, { zone: zone.id, name, change }))
  const created_at = timestamp(deps.clock)
  const entry = { type: 'dns.records', domain: site.domain, status: 'success' as const }
  await insertEntry(deps.db, { ...entry, created_at, user_id, server_id: server.id })
  return plan
}

async function nameOf(
  { db }: DnsDeps,
  { id, domain }: SiteTarget['site'],
  given: string,
): Promise<string> {
  const name = given.startsWith('*.') ? given : (canonicalDomain(given) ?? given)
  if (allNamesOf({ domain, names: await namesOf(db, id) }).includes(name)) return name
  throw invalid({ name: ['Must be a name of the site'] })
}

/** The longest zone of all accounts. */
function zoneOf(accounts: readonly AccountRow[], name: string): Found | undefined {
  return accounts
    .flatMap((account) => account.zones.map((zone) => ({ account, zone })))
    .filter(({ zone }) => `.${name}`.endsWith(`.${zone.name}`))
    .sort((one, other) => other.zone.name.length - one.zone.name.length)[0]
}

interface Change {
  keep: CloudflareRecord[]
  remove: CloudflareRecord[]
  create: Omit<CloudflareRecord, 'id'>[]
}

const TYPES = ['A', 'AAAA', 'CNAME'] as const
const isType = (type: string): type is (typeof TYPES)[number] =>
  TYPES.some((known) => known === type)

/** A proxied name stays proxied. */
function changeOf(all: readonly CloudflareRecord[], addresses: readonly string[]): Change {
  const present = all.filter(({ type }) => isType(type))
  const proxied = present.some((record) => record.proxied)
  const wanted = addresses.map((content) => ({
    ...{ type: isIPv6(content) ? 'AAAA' : 'A', content },
    ...{ proxied, ttl: AUTOMATIC_TTL },
  }))
  const isSame = (one: { type: string; content: string }, other: typeof one) =>
    one.type === other.type && one.content === other.content
  const keep = present.filter((record) => wanted.some((each) => isSame(each, record)))
  return {
    keep,
    remove: present.filter((record) => !keep.includes(record)),
    create: wanted.filter((each) => !keep.some((record) => isSame(each, record))),
  }
}

const listOf = ({ keep, remove, create }: Change): DnsRecordPlan['records'] =>
  Object.entries({ keep, remove, create }).flatMap(([action, records]) =>
    records.flatMap(({ type, content, proxied }) =>
      isType(type) ? [{ action: action as keyof Change, type, content, proxied }] : [],
    ),
  )

/** What it removed is created again if a step fails: a CNAME must go before an address comes. */
async function applied(
  access: Account,
  { zone, name, change }: { zone: string; name: string; change: Change },
): Promise<void> {
  const undo: (() => Promise<unknown>)[] = []
  try {
    for (const { id, ...record } of change.remove) {
      await removeRecord(access, zone, id)
      undo.unshift(() => createRecord(access, zone, { ...record, name }))
    }
    for (const record of change.create) {
      const id = await createRecord(access, zone, { ...record, name })
      undo.unshift(() => removeRecord(access, zone, id))
    }
  } catch (error) {
    let isRestored = true
    for (const restore of undo) isRestored = (await isDone(restore)) && isRestored
    throw isRestored ? error : notRestored(error, change)
  }
}

const isDone = (work: () => Promise<unknown>): Promise<boolean> =>
  work().then(
    () => true,
    () => false,
  )

function notRestored(error: unknown, { remove }: Change): CloudflareError {
  const former = remove.map(({ type, content }) => `${type} ${content}`).join(', ')
  const rest = former === '' ? '' : `, which were ${former}`
  return new CloudflareError(
    `${messageOf(error)}. The former records could not be restored${rest}: look at the zone`,
  )
}

async function read<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof CloudflareError ? conflict(error.message) : error
  })
}
