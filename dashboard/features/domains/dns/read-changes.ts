import { isIPv6 } from 'node:net'
import { isPrivate } from '#dashboard/features/domains/networks.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { Limit } from '#dashboard/kernel/runtime/limit.ts'
import { requireAddresses } from '#dashboard/kernel/targets/addresses.ts'
import type { AddressRules } from '#dashboard/kernel/trust/addresses.ts'
import type { DnsNamePlan, DnsRecordPlan } from '#shared/domains/api/dns.ts'
import { conflict, ServiceError } from '#shared/kernel/errors.ts'
import { canonicalDomain } from '#shared/kernel/names.ts'
import { accessTo, type DnsDeps } from './accounts.ts'
import { type DnsChange, isSame } from './apply-change.ts'
import { CloudflareError, type CloudflareRecord, readRecords } from './cloudflare.ts'
import { type AccountRow, listAccounts } from './queries.ts'

const AUTOMATIC_TTL = 1
const MAX_CONCURRENT = 8

interface AccountZone {
  account: AccountRow
  zone: { id: string; name: string }
}

/** The change of the records of a name: with it, the name leads to its server. */
export interface NameChange {
  name: string
  account_id: number
  account: string
  zone_id: string
  zone: string
  change: DnsChange
}

type TargetServer = Pick<ServerRow, 'name' | 'hostname'>
type Deps = Pick<DnsDeps, 'db' | 'sealer' | 'rules'>

/** Reads the DNS changes for the names in a zone of an account. Throws conflict. */
export async function readChanges(
  deps: Deps,
  server: TargetServer,
  names: readonly string[],
): Promise<NameChange[]> {
  const { places, addresses } = await prepareLookUp(deps, server, names)
  const limit = new Limit(MAX_CONCURRENT)
  return Promise.all(
    places.map((place) => limit.run(async () => readChange(deps, place, await addresses))),
  )
}

/** Reads the same for a plan, with the reason for a name that cannot be read or changed. */
export async function planChanges(
  deps: Deps,
  server: TargetServer,
  names: readonly string[],
): Promise<DnsNamePlan[]> {
  const { places, addresses } = await prepareLookUp(deps, server, names)
  const limit = new Limit(MAX_CONCURRENT)
  const plan = async (place: AccountZone & { name: string }): Promise<DnsNamePlan> => {
    try {
      return { ...recordPlanOf(await readChange(deps, place, await addresses)), problem: '' }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const { name, zone, account } = place
      return { name, zone: zone.name, account: account.name, records: [], problem: error.message }
    }
  }
  return Promise.all(places.map((place) => limit.run(() => plan(place))))
}

async function prepareLookUp(deps: Deps, server: TargetServer, names: readonly string[]) {
  const accounts = await listAccounts(deps.db)
  const places = [...new Set(names.map(canonical))].flatMap((name) => {
    const place = zoneOf(accounts, name)
    return place ? [{ ...place, name }] : []
  })
  const addresses = places.length > 0 ? publicAddresses(server, deps.rules) : Promise.resolve([])
  // Awaited for each name, or not at all.
  addresses.catch(() => undefined)
  return { places, addresses }
}

const canonical = (name: string) => (name.startsWith('*.') ? name : (canonicalDomain(name) ?? name))

/** Returns the addresses that visitors reach, which are public ones, except in development. */
async function publicAddresses(server: TargetServer, { production }: AddressRules) {
  const addresses = await requireAddresses(server)
  const inside = production ? addresses.find(isPrivate) : undefined
  if (inside === undefined) return addresses
  throw conflict(
    `${server.name} has the private address ${inside}, which visitors cannot reach: give it a public hostname`,
  )
}

/** Returns the longest zone of all accounts that has the name. */
export function zoneOf(accounts: readonly AccountRow[], name: string): AccountZone | undefined {
  return accounts
    .flatMap((account) => account.zones.map((zone) => ({ account, zone })))
    .filter(({ zone }) => `.${name}`.endsWith(`.${zone.name}`))
    .sort((one, other) => other.zone.name.length - one.zone.name.length)[0]
}

async function readChange(
  deps: Deps,
  { name, account, zone }: AccountZone & { name: string },
  addresses: readonly string[],
): Promise<NameChange> {
  const present = await asConflict(readRecords(accessTo(account, deps), zone.id, name))
  const where = { account_id: account.id, account: account.name, zone_id: zone.id, zone: zone.name }
  return { name, ...where, change: changeOf(present, addresses) }
}

/** Returns the change of the records of a name. A proxied name stays proxied. */
function changeOf(present: CloudflareRecord[], addresses: readonly string[]): DnsChange {
  const proxied = present.some((record) => record.proxied)
  const required = addresses.map((content) => ({
    type: isIPv6(content) ? ('AAAA' as const) : ('A' as const),
    content,
    proxied,
    ttl: AUTOMATIC_TTL,
  }))
  const keep = present.filter((record) => required.some((each) => isSame(each, record)))
  return {
    keep,
    remove: present.filter((record) => !keep.includes(record)),
    create: required.filter((each) => !keep.some((record) => isSame(each, record))),
  }
}

export const recordPlanOf = ({ name, zone, account, change }: NameChange): DnsRecordPlan => ({
  name,
  zone,
  account,
  records: (['keep', 'remove', 'create'] as const).flatMap((action) =>
    change[action].map(({ type, content, proxied }) => ({ action, type, content, proxied })),
  ),
})

/** Turns errors of Cloudflare into a conflict with its message. */
export const asConflict = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof CloudflareError ? conflict(error.message) : error
  })
