import { findKit } from '#dashboard/features/backups/kit.queries.ts'
import { keyStateOf } from '#dashboard/features/backups/off-site/release-key.ts'
import { findOffSite, findSealed } from '#dashboard/features/backups/off-site/state.queries.ts'
import { findOwnTarget } from '#dashboard/features/backups/own/queries.ts'
import { listJobTroubles } from '#dashboard/features/jobs/troubles.queries.ts'
import { backupTroubles } from '#dashboard/features/overview/attention/backups.ts'
import {
  counted,
  groupOf,
  inOrder,
  item,
  serverItem,
  siteItem,
  withAdvice,
} from '#dashboard/features/overview/attention/item.ts'
import { mailTroubles, reportTroubles } from '#dashboard/features/overview/attention/mail.ts'
import { maintenanceTroubles } from '#dashboard/features/overview/attention/maintenance.ts'
import {
  type ContradictedSite,
  contradictedSites,
  listAnsweredByOthers,
} from '#dashboard/features/overview/attention/queries.ts'
import { serverTroubles } from '#dashboard/features/overview/attention/servers.ts'
import { siteTroubles } from '#dashboard/features/overview/attention/sites.ts'
import { listNames, listSilent, readGroups } from '#dashboard/features/overview/parts/queries.ts'
import { countByServer, countsOf, listGroups } from '#dashboard/features/overview/parts/sites.ts'
import { listIsolation } from '#dashboard/features/servers/isolation/queries.ts'
import { listMaintenance } from '#dashboard/features/servers/maintenance/queries.ts'
import { listVersions } from '#dashboard/features/sites/listing/versions.queries.ts'
import { listMadeOwners } from '#dashboard/kernel/auth/made-owners.queries.ts'
import { cachedValue } from '#dashboard/kernel/db/cached-value.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { type AllMarked, listMarked } from '#dashboard/kernel/db/marked.queries.ts'
import { MARKED_TABLES, type MarkedTable, type Marks } from '#dashboard/kernel/db/marks.ts'
import { isSingleSite } from '#dashboard/kernel/http/visible.queries.ts'
import { partsOf, seesServer, seesSite, type Visible } from '#dashboard/kernel/http/visible.ts'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import { yieldToEventLoop } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import type { SiteJobTrouble } from '#shared/jobs/site-jobs.ts'
import { hasReached, isDue } from '#shared/kernel/age.ts'
import type { RecordProblem } from '#shared/kernel/api/activity-record.ts'
import { type Attention, type AttentionItem, SHOWN } from '#shared/overview/api/attention.ts'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import {
  countOperations,
  type FleetServerRow,
  type ListedServer,
  listFleetServers,
} from './queries.ts'

type Deps = Pick<CommonDeps, 'db' | 'clock'> & {
  marks: Marks
  /** The record of the activity, with the problem that was found last. */
  record?: { readonly problem: RecordProblem | null }
  off_site?: boolean
}

const DAY_MS = 24 * 3600_000

/**
 * How long an answer is kept until a time has its effect, such as the end of a certificate, or the
 * contact after which a failed sync is no item any more.
 */
const MAX_AGE_MS = 5_000

/** Lets other requests run after a part, since in a large fleet all parts take long. */
async function thenYield<T>(work: Promise<T>): Promise<T> {
  const result = await work
  await yieldToEventLoop()
  return result
}

/** Returns the parts of the overview that follow from the records of what is visible. */
async function readParts({ db, marks, record }: Deps, now: Date, visible?: Visible) {
  const since = new Date(now.getTime() - DAY_MS).toISOString()
  const versions = await listVersions(db)
  const ofServers = await listGroups(db, versions.sites, { now, context: now })
  const groups = visible
    ? partsOf(visible, ofServers, await readGroups(db, isSingleSite(visible), now))
    : ofServers
  const silent = await listSilent(db, now)
  const { sites, health, updates, updates_unknown } = countsOf(groups, silent)
  const operations = await thenYield(countOperations(db, since, visible))
  const named = await thenYield(listNames(db))
  const systems = new Map(named.map(({ id, os }) => [id, os]))
  const names = new Map(named.map(({ id, name }) => [id, name]))
  const accounts = visible ? [] : await thenYield(recordTroubles(db, { marks, record, now }))
  const ofSites = await thenYield(
    siteTroubles(db, { groups, silent, systems, now, since, visible }),
  )
  const identity = await thenYield(identityTroubles(db, visible))
  const seen = ({ id }: { id: number }) => seesServer(visible, id)
  const isolation = isolationTroubles((await thenYield(listIsolation(db))).filter(seen), now)
  const maintenance = maintenanceTroubles((await thenYield(listMaintenance(db))).filter(seen))
  const mail = await thenYield(mailTroubles(db, now, visible))
  const reports = await thenYield(reportTroubles(db, now, visible))
  const jobs = await thenYield(jobTroubles(db, visible))
  const backups = await thenYield(
    backupTroubles(db, { versions: versions.backups, names, now, since, visible }),
  )
  return {
    by_server: countByServer(groups),
    counts: { sites, health, operations, updates, updates_unknown },
    attention: [
      ...accounts,
      ...identity,
      ...isolation,
      ...maintenance,
      ...mail,
      ...reports,
      ...jobs,
      ...ofSites,
      ...backups,
    ],
  }
}

const withoutServers = cachedValue((deps: Deps, now) => readParts(deps, now), MAX_AGE_MS)

/** Returns what needs attention in the records of the dashboard itself. */
async function recordTroubles(
  db: Database,
  { marks, record, now }: Pick<Deps, 'marks'> & { record: Deps['record']; now: Date },
): Promise<Attention[]> {
  const marked = await listMarked(db)
  const made = await listMadeOwners(db)
  return [
    ...changedRecords(marked, marks, record?.problem),
    ...resetFactors(marked, now),
    ...madeOwners(made, marked, now),
  ]
}

/** Returns the overview of the fleet, or of the part of it that a caller may see. */
export async function overview(deps: Deps, visible?: Visible) {
  const { db, clock, off_site = true } = deps
  const now = clock.now()
  const { by_server, counts, attention } = visible
    ? await readParts(deps, now, visible)
    : await withoutServers(deps, now)
  const offSite = off_site && !visible ? await offSiteTrouble(db, now) : []
  const rows = await listFleetServers(db, visible)
  const servers = rows.map(({ services: _, imports_refused: __, lost_at: ___, ...server }) =>
    withAge(clock, { ...server, sites_count: by_server.get(server.id) ?? 0 }),
  )
  return {
    servers,
    counts: { servers: byStatus(rows), ...counts },
    attention: inOrder([...serverTroubles(rows), ...attention, ...offSite]),
  }
}

/** Adds the seconds since the last sync and the last reading, null before the first. */
export function withAge<T extends FleetServerRow>(
  clock: Clock,
  row: T,
): T & Pick<FleetServer, 'age' | 'metrics_age'> {
  const since = (time: string | null) => {
    if (time === null) return null
    return Math.max(0, Math.round((clock.now().getTime() - Date.parse(time)) / 1000))
  }
  return { ...row, age: since(row.last_sync), metrics_age: since(row.metrics_at) }
}

function byStatus(rows: readonly ListedServer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Returns cron jobs that failed three times, and WordPress events an hour overdue. */
export async function jobTroubles(db: Database, visible?: Visible): Promise<Attention[]> {
  const seen = (await listJobTroubles(db)).filter(({ site }) =>
    seesSite(visible, { server_id: site.server_id, site_id: site.id }),
  )
  const found = seen.map(({ site, trouble }) =>
    siteItem(site, { severity: 'warning', ...findingOf(trouble) }),
  )
  return groupOf('site_jobs', found)
}

function findingOf({ failing, overdue_since }: SiteJobTrouble): {
  reason: string
  at: string | null
} {
  if (overdue_since !== null) {
    const reason =
      'The events of WordPress do not run: see the output of their last runs in the tab Jobs'
    return { reason, at: overdue_since }
  }
  const [first] = failing
  const others = failing.length > 1 ? `, and ${failing.length - 1} more` : ''
  const what = first ? `${first.name} failed ${first.failures} times in a row` : 'A job fails'
  const reason = `The cron job ${what}${others}: see its output in the tab Jobs`
  return { reason, at: first?.at ?? null }
}

/** The meaning of the rows, and what makes them valid or removes them. */
const MEANING: Record<MarkedTable, readonly [what: string, advice: string]> = {
  users: ['user', 'restore a backup of the dashboard'],
  sessions: ['session', 'choose "Log out everywhere" on the page Account'],
  api_tokens: ['API token', 'delete them on the page Account'],
  grants: ['role', 'have an owner give the roles again'],
  part_grants: ['grant on a part of the fleet', 'have an owner give it again'],
  groups: ['group', 'have an owner make it again'],
  group_members: ['member of a group', 'have an owner add them again'],
  group_grants: ['grant of a group', 'have an owner give it again'],
  policy_rules: ['rule of the access policy', 'delete it on the page People and add it again'],
  invitations: ['invitation', 'revoke them on the page People'],
  passkeys: [
    'passkey',
    'run hosting-control reset-factors <email> on the machine of the dashboard for their accounts',
  ],
  password_resets: ['link for a new password', 'request a new link'],
  server_agents: ['trusted agent', 'enrol the servers again that are offline for this reason'],
  user_factors: [
    'second factor',
    'run hosting-control reset-factors <email> on the machine of the dashboard for their accounts',
  ],
  identity_providers: ['identity provider', 'remove them in the settings and add them again'],
  identities: ['linked identity', 'unlink them on the page Account and link them again'],
  sso_flows: ['login at a provider', 'log in again'],
}

/**
 * Returns the rows that admit nobody, since no dashboard with the seal-secret wrote them, and whether
 * the record of the activity was changed.
 */
function changedRecords(
  rows: AllMarked,
  marks: Marks,
  problem: RecordProblem | undefined | null,
): Attention[] {
  const found = MARKED_TABLES.flatMap((table) => {
    const missing = MISSING[table]?.(rows) ?? 0
    const wrong = wrongIn(marks, table, rows[table]) + missing
    if (wrong === 0) return []
    const [what, advice] = MEANING[table]
    const reason = `The records of ${counted(wrong, what)} were changed outside of the dashboard and are not accepted: find out who can write to the database, then ${advice}`
    return [item({ severity: 'critical', name: 'Records of the dashboard', reason })]
  })
  if (problem) {
    const reason = `${problem.message}: the record of the activity was changed outside of the dashboard, or is that of an older copy. See the page Activity`
    found.push(item({ severity: 'critical', name: 'Record of the activity', reason }))
  }
  return groupOf('records_changed', found)
}

/** Counts the rows that the row of a user names, and that somebody has deleted. */
const MISSING: Partial<Record<MarkedTable, (rows: AllMarked) => number>> = {
  user_factors: ({ users, user_factors }) => {
    const known = new Set(['', ...user_factors.map(({ id }) => id)])
    return users.filter(({ factor_id = '' }) => !known.has(factor_id)).length
  },
  passkeys: ({ users, passkeys }) => {
    const owned = Map.groupBy(passkeys, ({ user_id }) => user_id)
    const missing = users.map(({ id, passkeys: count = 0 }) => count - (owned.get(id)?.length ?? 0))
    return missing.reduce((sum, count) => sum + Math.max(0, count), 0)
  },
}

const REPORTED_MS = 7 * DAY_MS

/** Returns the accounts whose second factor a command on the machine of the dashboard removed. */
function resetFactors({ users, user_factors }: AllMarked, now: Date): Attention[] {
  const emails = new Map(users.map(({ id, email }) => [id, email]))
  const found = user_factors.flatMap(({ user_id, reset_at }) => {
    const name = emails.get(user_id)
    if (name === undefined || reset_at === null || hasReached(reset_at, REPORTED_MS, now)) return []
    const reason =
      'Its two-factor authentication was turned off on the machine of the dashboard: if you do not know why, find out who has access to that machine; otherwise its owner sets it up again on the page Account'
    return [item({ severity: 'critical', name, reason, at: reset_at })]
  })
  return groupOf('factor_reset', found)
}

type MadeOwners = Awaited<ReturnType<typeof listMadeOwners>>

/** Returns the accounts that a command on the machine of the dashboard made owners. */
function madeOwners(made: MadeOwners, { users }: AllMarked, now: Date): Attention[] {
  const emails = new Map(users.map(({ id, email }) => [id, email]))
  const found = made.flatMap(({ user_id, at }) => {
    const name = emails.get(user_id)
    if (name === undefined || hasReached(at, REPORTED_MS, now)) return []
    const reason =
      'It was made an owner by a command on the machine of the dashboard: if you do not know why, change its role on the page People, and find out who has access to that machine'
    return [item({ severity: 'critical', name, reason, at })]
  })
  return groupOf('owner_made', found)
}

const wrongIn = <T extends MarkedTable>(marks: Marks, table: T, rows: AllMarked[T]): number =>
  rows.filter((row) => !marks.fits(table, row)).length

type IsolationCheck = Awaited<ReturnType<typeof listIsolation>>[number]

const STALE_MS = 21 * 24 * 3600_000
const MAX_NAMED = 2

function isolationTroubles(rows: readonly IsolationCheck[], now: Date): Attention[] {
  const found = rows.flatMap((row) => breached(row) ?? failing(row) ?? unchecked(row, now) ?? [])
  return groupOf('isolation', found)
}

function breached({ succeeded, checked_at, ...server }: IsolationCheck): AttentionItem | undefined {
  if (succeeded.length === 0) return undefined
  const named = succeeded.slice(0, MAX_NAMED).map((title) => `“${title}”`)
  const more = succeeded.length - named.length
  const list = more > 0 ? `${named.join(', ')} and ${more} more` : named.join(' and ')
  const attacks = counted(succeeded.length, 'attack')
  const reason = `${attacks} of one site on another succeeded (${list}): its page says what to correct`
  return serverItem(server, { severity: 'critical', reason, at: checked_at })
}

function failing({ failures, reason: why, failed_at, ...server }: IsolationCheck) {
  if (failures < 2) return undefined
  const cause = why.replace(/[\s.:]+$/, '') || 'no reason was given'
  const reason = `The isolation check could not run ${failures} times in a row (${cause}): correct the cause, then start it`
  return serverItem(server, { severity: 'warning', reason, at: failed_at })
}

/** Returns a server without a recent check; an offline one is reported as that. */
function unchecked(row: IsolationCheck, now: Date): AttentionItem | undefined {
  const { status, has_sites, checked_at, created_at } = row
  if (status !== 'online' || !has_sites) return undefined
  if (!isDue(checked_at ?? created_at, STALE_MS, now)) return undefined
  const since = checked_at === null ? 'never' : `last on ${checked_at.slice(0, 10)}`
  const reason = `The isolation of its sites was checked ${since}: start a check`
  return serverItem(row, { severity: 'warning', reason, at: checked_at })
}

const LATE_MS = 2 * 24 * 3600_000

const KEY_NOT_SAVED = withAdvice(
  'The backups of this dashboard do not hold the key that signs agents, or not for the recovery kit in use',
  'run hosting-control save-release-key <fingerprint> as root on its machine, with the fingerprint in the file of your recovery kit',
)

/** Returns the backups of the dashboard that are late, or have a kit but no target. */
export async function offSiteTrouble(db: Database, now: Date): Promise<Attention[]> {
  if (!(await findOwnTarget(db))) {
    if (!(await findKit(db, { confirmed: true }))) return []
    const reason = withAdvice(
      'The records of this dashboard are not backed up to another machine',
      'add a target for them on the page Backups, which no server can read',
    )
    return groupOf('dashboard_backup', [troubled(reason, null)])
  }
  const state = await findOffSite(db)
  const kit = await findKit(db, { confirmed: true })
  const key = keyStateOf(kit, await findSealed(db), state)
  return groupOf('dashboard_backup', [
    ...lateBackup(state, now),
    ...(key?.state === 'not_saved' ? [troubled(KEY_NOT_SAVED, null)] : []),
  ])
}

function lateBackup(state: Awaited<ReturnType<typeof findOffSite>>, now: Date): AttentionItem[] {
  if (!state) return []
  const { error, saved_at } = state
  if (saved_at === null ? error === null : !isDue(saved_at, LATE_MS, now)) return []
  const last =
    saved_at === null ? 'have never been saved' : `were last saved on ${saved_at.slice(0, 10)}`
  const reason = withAdvice(
    `The records of this dashboard ${last} in their target${error === null ? '' : `: ${error}`}`,
    error === null
      ? 'choose "Check target" on the page Backups'
      : 'correct the cause, and choose "Back up now" on the page Backups; it is also retried every hour',
  )
  return [troubled(reason, saved_at)]
}

const troubled = (reason: string, at: string | null) =>
  item({ severity: 'warning', name: 'Backup of the dashboard', reason, at })

const NAMES = {
  domain: 'domain',
  user: 'system user',
  docroot: 'document root',
  db_name: 'database',
} as const

const COMPROMISED =
  'It may be compromised: check it, and restore its sites on a new server unless you know the cause'
const OF_SITE = 'The site itself can change this in its wp-config.php: check it'

/**
 * Returns the managed sites whose server reports that they are something else, or that they have
 * names of others, and the servers at whose address the agent of another one answers.
 */
async function identityTroubles(db: Database, visible: Visible | undefined): Promise<Attention[]> {
  const others = await contradictedSites(db, 'identity', SHOWN, visible)
  const foreign = await contradictedSites(db, 'name', SHOWN, visible)
  const servers = (await listAnsweredByOthers(db, visible)).map(answeredByAnother)
  const total = servers.length + (foreign[0]?.total ?? 0)
  return [
    ...groupOf('site_identity', others.map(contradicted), others[0]?.total),
    ...groupOf('foreign_address', [...servers, ...foreign.map(named)], total),
  ]
}

const MAX_SHOWN = 64

/** Makes a name that an agent has chosen printable. */
const printable = (value = '') => value.replace(/\p{C}/gu, '?').slice(0, MAX_SHOWN)

function contradicted({ reported_identity, ...site }: ContradictedSite): AttentionItem {
  const names = (['domain', 'user', 'docroot', 'db_name'] as const).filter(
    (name) => reported_identity?.[name] !== undefined,
  )
  const what = names.map((name) => NAMES[name]).join(' and ')
  const expected = names.map((name) => site[name]).join(' and ')
  const reported = names.map((name) => printable(reported_identity?.[name])).join(' and ')
  const isOfSite = names.every((name) => name === 'db_name')
  const advice = isOfSite ? OF_SITE : COMPROMISED
  return siteItem(site, {
    severity: isOfSite ? 'warning' : 'critical',
    reason: `The server reports another ${what} for this site: expected ${expected}, reported ${reported}. ${advice}`,
  })
}

function named({ reported_identity, ...site }: ContradictedSite): AttentionItem {
  const { name, domain } = reported_identity?.foreign ?? {}
  const reason = `The server reports the name ${printable(name)} for this site, which belongs to the site ${domain}. ${COMPROMISED}`
  return siteItem(site, { severity: 'critical', reason })
}

const answeredByAnother = (server: { id: number; name: string; last_error: string }) =>
  serverItem(server, { severity: 'critical', reason: server.last_error })
