import { type Account, listAccounts } from '#dashboard/features/access/accounts/accounts.queries.ts'
import {
  type GroupRecord,
  groupsOf,
  heldBy,
  listGroupRecords,
} from '#dashboard/features/access/accounts/groups.queries.ts'
import { listBackups } from '#dashboard/features/backups/queries.ts'
import { findRestoreRequest } from '#dashboard/features/backups/restore-requests.queries.ts'
import { healthOf } from '#dashboard/features/health/site-health.ts'
import { readDays } from '#dashboard/features/metrics/numbers/queries.ts'
import { listVersionChanges } from '#dashboard/features/reports/figures.queries.ts'
import { isNewer } from '#dashboard/features/reports/versions.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { getPlace } from '#dashboard/kernel/http/places.queries.ts'
import { may } from '#dashboard/kernel/http/rights.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import {
  CLIENT_DAYS,
  type ClientSite,
  type ClientSiteDetail,
  type ClientSites,
  MAX_CLIENT_BACKUPS,
  MAX_CLIENT_SITES,
  MAX_CLIENT_UPDATES,
} from '#shared/clients/api/clients.ts'
import { notFound } from '#shared/kernel/errors.ts'
import type { Extension, Inventory } from '#shared/kernel/inventory.ts'
import { isOn, type Place, rightsAt } from '#shared/kernel/rights.ts'
import { DAY_S } from '#shared/metrics/site-numbers.ts'
import {
  type ClientSiteRow,
  findClientSite,
  findInventory,
  findLastRestore,
  listClientSites,
  listFileAccounts,
  listFileUsers,
  listStaging,
} from './queries.ts'

type Deps = MarkedRecords & Pick<CommonDeps, 'db' | 'clock'>

const MAX_NAME = 200
const SHOWN_RESTORE_MS = 7 * DAY_S * 1000

/** Returns the beginning of the first day (UTC) that clients see, in seconds since 1970. */
const firstDay = (now: Date): number =>
  (Math.floor(now.getTime() / 1000 / DAY_S) - CLIENT_DAYS + 1) * DAY_S

/** Lists the sites of a client. */
export async function showClientSites(
  { db, clock }: Deps,
  visible: Visible | undefined,
): Promise<ClientSites> {
  const now = clock.now()
  const limit = MAX_CLIENT_SITES + 1
  const rows = await listClientSites(db, { visible, since: firstDay(now), limit })
  return {
    sites: rows.slice(0, MAX_CLIENT_SITES).map((row) => siteOf(row, now)),
    more: rows.length > MAX_CLIENT_SITES,
  }
}

/** Returns all that a client sees of a site. Throws 404 for one that clients do not see. */
export async function showClientSite(
  deps: Deps,
  caller: Caller,
  site_id: number,
): Promise<ClientSiteDetail> {
  const { db, clock } = deps
  const now = clock.now()
  const from = firstDay(now)
  const row = await findClientSite(db, site_id, from)
  if (!row) throw notFound('Site')
  const place = await getPlace(db, { site_id })
  const days = await daysOf(deps, site_id, from)
  const request = await findRestoreRequest(db, site_id)
  const backups = await listBackups(db, site_id)
  return {
    ...siteOf(row, now),
    pages: sumOf(days.map(({ pages }) => pages)),
    days,
    updates: await updatesOf(deps, site_id, from),
    backups: backups
      .slice(0, MAX_CLIENT_BACKUPS)
      .map(({ id, at, bytes, proof }) => ({ id, at, bytes, proven: proof?.proven ?? null })),
    staging: (await listStaging(db, site_id)).map(({ domain, tls, made_at }) => ({
      domain,
      url: `${tls === 'none' ? 'http' : 'https'}://${domain}/`,
      made_at,
    })),
    people: await peopleOf(deps, caller, { ...place, site_id }),
    file_accounts: await listFileAccounts(db, site_id, now.toISOString()),
    request: request ? { at: request.at, note: request.note, backup_at: request.backup_at } : null,
    restore: await lastRestore(deps, site_id),
    may: {
      restore: !row.found && may(caller, 'restore', place),
      login: !row.found && may(caller, 'login', place),
    },
  }
}

const siteOf = (row: ClientSiteRow, now: Date): ClientSite => ({
  id: row.id,
  domain: row.domain,
  ...stateOf(row, now),
  requests: row.requests,
  last_backup_at: row.last_backup_at,
  last_proof_at: row.last_proof_at,
})

const SLOW: ReadonlySet<string> = new Set([
  'php_silent',
  'php_busy',
  'database_busy',
  'database_slow',
  'http_timeout',
  'visit_timeout',
])

/** Returns the state of a site in plain words: no reason of it names what runs on the server. */
function stateOf(row: ClientSiteRow, now: Date): Pick<ClientSite, 'state' | 'since'> {
  const { health, health_code, health_since } = healthOf(row, now)
  if (row.status === 'suspended' || row.has_notice) return { state: 'maintenance', since: null }
  const since = health_since
  if (health_code === 'http_maintenance') return { state: 'maintenance', since }
  if (health === 'degraded') return { state: SLOW.has(health_code) ? 'slow' : 'impaired', since }
  return { state: health ?? 'unknown', since }
}

/** Returns the requests and pages of each day, the oldest first. */
async function daysOf({ db }: Deps, site_id: number, from: number) {
  const to = from + CLIENT_DAYS * DAY_S
  const known = new Map((await readDays(db, { site_id, from, to })).map((row) => [row.at, row]))
  return Array.from({ length: CLIENT_DAYS }, (_, day) => {
    const at = from + day * DAY_S
    const row = known.get(at)
    return {
      day: new Date(at * 1000).toISOString().slice(0, 10),
      requests: row?.requests ?? null,
      // A page is made, or comes from the page cache; both never count for one request.
      pages: row ? row.php_requests + row.cache_hits : null,
    }
  })
}

/** Returns the sum; null without any number. */
function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}

/** Returns the updates of a WordPress, made and pending; null before its versions were read. */
async function updatesOf(
  { db, clock }: Deps,
  site_id: number,
  from: number,
): Promise<ClientSiteDetail['updates']> {
  const found = await findInventory(db, site_id)
  if (!found?.inventory || found.read_at === null) return null
  const { version, inventory, read_at } = found
  const period = {
    site_id,
    from: new Date(from * 1000).toISOString(),
    to: clock.now().toISOString(),
  }
  const made = (await listVersionChanges(db, period)).filter((one) => isNewer(one.to, one.from))
  return {
    version,
    read_at,
    made: made.toReversed().slice(0, MAX_CLIENT_UPDATES),
    pending: pendingIn(version, inventory),
  }
}

/** Lists the newer versions that WordPress offers; null when one kind of them is unknown. */
function pendingIn(
  version: string,
  { core_update, plugins, themes, updates }: Inventory,
): NonNullable<ClientSiteDetail['updates']>['pending'] {
  if (Object.values(updates).includes(null)) return null
  const ofExtensions = (kind: 'plugin' | 'theme', all: readonly Extension[]) =>
    all.flatMap(({ name, slug, version: from, update: to }) =>
      to === null ? [] : [{ kind, name: (name || slug).slice(0, MAX_NAME), from, to }],
    )
  return [
    ...(core_update === null
      ? []
      : [{ kind: 'core' as const, name: 'WordPress', from: version, to: core_update }]),
    ...ofExtensions('plugin', plugins),
    ...ofExtensions('theme', themes),
  ].slice(0, MAX_CLIENT_UPDATES)
}

/**
 * Lists the clients who see a site: never the staff of the agency, and nobody without an account,
 * who may be a colleague.
 */
async function peopleOf(deps: Deps, caller: Caller, place: Place & { site_id: number }) {
  const now = deps.clock.now().toISOString()
  const openers = await listFileUsers(deps.db, place.site_id, now)
  const groups = await listGroupRecords(deps)
  return (await listAccounts(deps))
    .filter(({ user }) => user.deactivated_at === null)
    .filter((account) => {
      const rights = rightsAt(heldBy(groups, account), place)
      return rights.includes('client') && !rights.includes('read')
    })
    .map((account) => ({
      name: account.user.name,
      since: sinceOf(deps, account, groups, place) ?? account.user.created_at,
      is_you: account.user.id === caller.user.id,
      files: openers.some(({ user_id }) => user_id === account.user.id),
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
}

/** Returns the time of the first grant on a site, or of joining the first group that gives one. */
function sinceOf(
  { marks }: Deps,
  { user, part_rows }: Account,
  groups: readonly GroupRecord[],
  place: Place,
): string | undefined {
  const own = part_rows.filter((row) => marks.fits('part_grants', row) && isOn(row, place))
  const byGroups = groupsOf(groups, { user }).flatMap(({ grants, member_rows }) => {
    const joined = member_rows.find(({ user_id }) => user_id === user.id)?.added_at ?? ''
    return grants
      .filter((row) => isOn(row, place))
      .map(({ given_at }) => [given_at, joined].toSorted()[1] ?? given_at)
  })
  return [...own.map(({ given_at }) => given_at), ...byGroups].toSorted()[0]
}

const STATES = {
  queued: 'running',
  running: 'running',
  success: 'done',
  failed: 'failed',
  cancelled: 'failed',
} as const

/** Returns the state of the last restore; null when none was started in the last days. */
async function lastRestore({ db, clock }: Deps, site_id: number) {
  const since = new Date(clock.now().getTime() - SHOWN_RESTORE_MS).toISOString()
  const last = await findLastRestore(db, site_id, since)
  return last ? { state: STATES[last.status], at: last.finished_at ?? last.created_at } : null
}
