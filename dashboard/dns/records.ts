import { isIPv6 } from 'node:net'
import type { z } from 'zod'
import { namesOf } from '#dashboard/domains/names.queries.ts'
import { isPrivate } from '#dashboard/domains/networks.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { reachable } from '#dashboard/targets/addresses.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import type { AddressRules } from '#dashboard/trust/addresses.ts'
import type { DnsRecordPlan, SetDnsRecords } from '#shared/api/dns.ts'
import { conflict, invalid } from '#shared/errors.ts'
import { canonicalDomain } from '#shared/names.ts'
import { allNamesOf } from '#shared/site-names.ts'
import { accessTo, type DnsDeps } from './accounts.ts'
import { applyChange, type Change, isSame, NotRestored } from './apply.ts'
import { CloudflareError, type CloudflareRecord, readRecords } from './cloudflare.ts'
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
  const access = accessTo(account, deps)
  const addresses = await publicAddresses(server, deps.rules)
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
  const enter = (status: 'success' | 'failed') =>
    insertEntry(deps.db, {
      ...{ type: 'dns.records', domain: name, status },
      ...{ created_at: timestamp(deps.clock), user_id, server_id: server.id },
    })
  const work = applyChange(access, { zone: zone.id, name, change }).catch(async (error) => {
    if (error instanceof NotRestored) await enter('failed')
    throw error
  })
  await read(work)
  await enter('success')
  return plan
}

/** Visitors reach no private address; in development it is as good as any. */
async function publicAddresses(server: SiteTarget['server'], { production }: AddressRules) {
  const addresses = await reachable(server)
  const inside = production ? addresses.find(isPrivate) : undefined
  if (inside === undefined) return addresses
  throw conflict(
    `${server.name} has the private address ${inside}, which visitors cannot reach: give it a public hostname`,
  )
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

/** A proxied name stays proxied. */
function changeOf(present: CloudflareRecord[], addresses: readonly string[]): Change {
  const proxied = present.some((record) => record.proxied)
  const wanted = addresses.map((content) => ({
    ...{ type: isIPv6(content) ? ('AAAA' as const) : ('A' as const), content },
    ...{ proxied, ttl: AUTOMATIC_TTL },
  }))
  const keep = present.filter((record) => wanted.some((each) => isSame(each, record)))
  return {
    keep,
    remove: present.filter((record) => !keep.includes(record)),
    create: wanted.filter((each) => !keep.some((record) => isSame(each, record))),
  }
}

const listOf = (change: Change): DnsRecordPlan['records'] =>
  (['keep', 'remove', 'create'] as const).flatMap((action) =>
    change[action].map(({ type, content, proxied }) => ({ action, type, content, proxied })),
  )

async function read<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof CloudflareError ? conflict(error.message) : error
  })
}
