import { compareAccess, listRecordedAccess } from '#dashboard/features/access/compare.queries.ts'
import { type ReportedLogins, storeLogins } from '#dashboard/features/access/logins.queries.ts'
import { listAllHolders, namesOf } from '#dashboard/features/domains/names.queries.ts'
import { readServer } from '#dashboard/features/recovery/read-server.ts'
import { IMPORT_LIMITS_TEXT, MAX_IMPORTS } from '#dashboard/kernel/agents/budgets.ts'
import { hasOurProtocol } from '#dashboard/kernel/agents/protocol.ts'
import type { CountedList } from '#dashboard/kernel/agents/read-answer.ts'
import { readTrash } from '#dashboard/kernel/agents/read-trash.ts'
import { readWeb, webLogLines } from '#dashboard/kernel/agents/read-web.ts'
import type { AgentAddress } from '#dashboard/kernel/agents/transport.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { mailTroublesOf } from '#dashboard/kernel/db/mail-trouble.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { reasonOf } from '#dashboard/kernel/engine/failure-reason.ts'
import { sitesTopic } from '#dashboard/kernel/live/feed.ts'
import type { Bus } from '#dashboard/kernel/runtime/bus.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { chunksOf, yieldToEventLoop } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import { answeredBy } from '#dashboard/kernel/trust/explain-certificate.ts'
import { type HandOverDeps, handOver } from '#dashboard/kernel/trust/keys/hand-over.ts'
import { accessReading, loginsReading } from '#shared/access/readings.ts'
import { MAX_LOGINS, type ReportedAccess } from '#shared/access/site-access.ts'
import { COMMANDS } from '#shared/commands.ts'
import { namesAfter } from '#shared/domains/primary-domain.ts'
import { jobTroublesReading } from '#shared/jobs/readings.ts'
import { bodyOf, ServiceError } from '#shared/kernel/errors.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { mailReading } from '#shared/mail/readings.ts'
import type { SiteUsage } from '#shared/metrics/site-usage.ts'
import type { Service, TrashedSite } from '#shared/servers/agent.ts'
import type { DiskUse } from '#shared/servers/api/disk-use.ts'
import { maintenanceReading, metricsReading, servicesReading } from '#shared/servers/readings.ts'
import { certificatesReading, sitesReading, usageReading } from '#shared/sites/readings.ts'
import { applySync, type KnownSite, listSiteRows, recordFailedContact } from './queries.ts'
import { type AgentReader, readChanges, type ServerChanges } from './read-changes.ts'
import { listUnknownRenames, settleRename } from './renames.queries.ts'
import { Adoption, diskColumns } from './site-columns.ts'
import {
  columnUpdates,
  type ForeignNames,
  needsTrash,
  planSync,
  type ReportedSites,
  type SyncPlan,
} from './sync-plan.ts'

export interface SyncDeps extends HandOverDeps {
  bus: Bus
  /** How long a deleted site stays in the trash. */
  trash_ms: number
}

interface SyncResult {
  sites: number
  /** Whether records of sites were changed: the next sync may change them again. */
  changed: boolean
  /** The version of the state that is recorded now; null: unknown. */
  state: string | null
}

interface SyncOptions {
  /** Whether a change of state gets its own activity, since no operation records it. */
  with_activity: boolean
  /** The answer to an earlier call, with the state; undefined: the server is asked. */
  changes?: ServerChanges | undefined
  signal?: AbortSignal
}

/**
 * Makes the records of a server agree with what its agent reports. Throws offline before the first
 * line when the agent is offline; three such contacts in a row make the server offline.
 */
export async function* syncServer(
  deps: SyncDeps,
  server: ServerRow,
  options: SyncOptions,
): AsyncGenerator<string, SyncResult> {
  try {
    await handOver(deps, server)
    const synced = yield* readAndApply(deps, server, options)
    await readServer(deps, server)
    return synced
  } catch (error) {
    if (error instanceof ServiceError) {
      const { with_activity } = options
      const answered_by = answeredBy(error)
      const how = { now: timestamp(deps.clock), with_activity, answered_by }
      await recordFailedContact(deps.db, server, reasonOf(bodyOf(error)), how)
    }
    throw error
  }
}

async function* readAndApply(
  deps: SyncDeps,
  recorded: ServerRow,
  { with_activity, signal, changes }: SyncOptions,
): AsyncGenerator<string, SyncResult> {
  const { db, clock, agents, trash_ms } = deps
  const since = changes?.asked_at ?? timestamp(clock)
  const metrics = changes?.metrics ?? (await agents.call(recorded, metricsReading, {}, { signal }))
  // The recorded metrics may be those of another version of the agent.
  const server = { ...recorded, metrics }
  yield `Connected to the agent of ${server.name}`
  // Before the answers: what an operation records meanwhile is newer.
  const before = await listSiteRows(db, server.id)
  const access = await listRecordedAccess(db, server.id)
  const { reader, versions } = changes ?? (await readState(deps, server, signal))
  const { services } = await reader.call(server, servicesReading, {}, { signal })
  yield `Read the state of ${services.length} services`
  const listed = await reader.call(server, sitesReading, {}, { signal })
  yield `Found ${listed.total} sites`
  const web = await readWeb(reader, server)
  if (web) yield* webLogLines(web)
  const found = reportedByDomain(listed)
  const renamed = await settleRenames(deps, before, found)
  yield* renamed
  const records =
    renamed.length > 0 ? newestRecords(before, await listSiteRows(db, server.id)) : before
  const purge_at = timestamp(clock, trash_ms)
  const kept = await trashOf(reader, server, records, found)
  const foreign = await foreignNames(db, records, found)
  const plan = await planSync(
    records,
    found,
    kept && { ...reportedByDomain(kept), purge_at },
    foreign,
  )
  const ends = await readCertificates(reader, server)
  const uses = await readUsage(reader, server)
  const columns = (domain: string) => ({
    ...(ends && { certificate_expires_at: ends.get(domain) ?? '' }),
    ...(uses && diskColumns(uses.get(domain) ?? null)),
  })
  const adoption = new Adoption(records, uses)
  const ofRecord = ({ domain, found: isFound }: KnownSite) => {
    const site = isFound && found.sites.get(domain)
    return { ...columns(domain), ...(site && adoption.columns(site)) }
  }
  plan.updates.push(...(await columnUpdates(records, found, ofRecord)))
  const maintenance = await readMaintenance(reader, server)
  const troubles = await readMail(reader, server)
  const jobs = await readJobs(reader, server)
  const reading = { metrics, services, php_versions: phpVersions(services) }
  const unread = [listed, kept].reduce((sum, list) => sum + unreadCount(list), 0)
  const room = MAX_IMPORTS - records.filter(({ managed }) => !managed).length
  const now = timestamp(clock)
  const imported = await applySync(db, {
    server,
    reading,
    plan,
    since,
    now,
    purge_at,
    room,
    unread,
    with_activity,
    adoption,
    columns,
    reports: { maintenance, troubles, web, jobs },
  })
  const reported = access.length > 0 ? await readAccess(reader, server) : undefined
  if (reported) await compareAccess(db, server.id, access, reported)
  const logins = await readLogins(reader, server)
  if (logins) await storeLogins(db, server, logins, now)
  const changed = plan.updates.length + imported + renamed.length > 0
  if (changed) deps.bus.notify(sitesTopic(server.id))
  yield* changesIn(plan, imported, unread)
  return { sites: listed.total, changed, state: versions.state ?? null }
}

/** Reads the state, of another protocol with a call for each part. Throws offline. */
const readState = (deps: SyncDeps, to: AgentAddress, signal?: AbortSignal) =>
  hasOurProtocol(to)
    ? readChanges(deps, to, { state: '' }, { signal })
    : { reader: deps.agents, versions: { state: null } }

function* changesIn(
  { others, imports, trashed, missing }: SyncPlan,
  imported: number,
  unread: number,
) {
  const found = Math.min(imported, imports.length)
  const refused = unread + imports.length + trashed.length - imported
  if (others > 0) yield `Already recorded with or without www.: ${others} sites`
  if (found > 0) yield `Newly recorded: ${found} sites`
  if (imported > found) yield `New in the trash: ${imported - found} sites`
  if (refused > 0)
    yield `Not recorded: ${refused} sites, since a server may add ${IMPORT_LIMITS_TEXT}`
  if (missing.length > 0) yield `Missing on the server: ${missing.length} sites`
}

function reportedByDomain<T extends { domain: string }>({ entries, total }: CountedList<T>) {
  const sites = new Map(entries.map((site) => [site.domain, site]))
  return { sites, whole: total === entries.length }
}

/** Returns the records as they are now, without sites that came after the report. */
function newestRecords(before: readonly KnownSite[], after: readonly KnownSite[]): KnownSite[] {
  const rows = new Map(after.map((row) => [row.id, row]))
  return before.map((row) => rows.get(row.id) ?? row)
}

const unreadCount = (list?: CountedList<unknown>) => (list ? list.total - list.entries.length : 0)

/** Reads the trash when a site is not where it was, and at first; else it stays. */
async function trashOf(
  reader: AgentReader,
  server: ServerRow,
  records: readonly KnownSite[],
  found: ReportedSites,
): Promise<CountedList<TrashedSite> | undefined> {
  if (server.last_sync !== null && !needsTrash(records, found)) return undefined
  return readTrash(reader, server).catch(() => undefined)
}

/** Returns the versions of PHP, which the agent reports as services such as `php8.2`. */
function phpVersions(services: readonly Service[]): string[] {
  return services.flatMap(({ name, status }) => {
    const version = /^php(\d\.\d)$/.exec(name)?.[1]
    return version !== undefined && status !== 'missing' ? [version] : []
  })
}

const PIECE = 500

/**
 * Returns the first name of each managed site that its server reports and that another managed site
 * has, on this server or another one.
 */
async function foreignNames(
  db: Database,
  records: readonly KnownSite[],
  { sites }: ReportedSites,
): Promise<ForeignNames> {
  const reported = records.flatMap(({ id, domain, apex, found, operating }) => {
    const names = found || operating ? [] : (sites.get(domain)?.names ?? [])
    const others = names.filter((name) => apexOf(name.toLowerCase()) !== apex)
    return others.map((name) => ({ id, domain, name, apex: apexOf(name.toLowerCase()) }))
  })
  const foreign = new Map<string, { name: string; domain: string }>()
  for (const some of chunksOf(reported, PIECE)) {
    const holders = await listAllHolders(db, [...new Set(some.map(({ apex }) => apex))])
    for (const { id, domain, name, apex } of some) {
      const holder = holders.find((one) => one.apex === apex && one.site_id !== id)
      if (holder && !foreign.has(domain)) foreign.set(domain, { name, domain: holder.domain })
    }
    await yieldToEventLoop()
  }
  return foreign
}

/**
 * Settles changes of a primary domain whose result the dashboard never got: one has succeeded if
 * the server has the site under the name that was asked for, and not under the former one. Nothing
 * else that an agent reports gives a site another name. Returns a line for each.
 */
async function settleRenames(
  { db, clock }: Pick<CommonDeps, 'db' | 'clock'>,
  records: readonly KnownSite[],
  found: ReportedSites,
): Promise<string[]> {
  if (!found.whole) return []
  const gone = records.filter(({ domain, status }) => isGone(status) && !found.sites.has(domain))
  const lines: string[] = []
  for (const operation of await listUnknownRenames(
    db,
    gone.map(({ id }) => id),
  )) {
    const record = gone.find(({ id }) => id === operation.site_id)
    const asked = COMMANDS['site.rename'].params.safeParse(operation.params).data
    if (!record || !asked || asked.domain !== record.domain) continue
    if (!isSame(record, found.sites.get(asked.primary))) continue
    const { www } = namesAfter(
      { domain: record.domain, names: await namesOf(db, record.id) },
      asked,
    )
    const settled = { operation, site_id: record.id, asked, www }
    if (await settleRename(db, settled, timestamp(clock)))
      lines.push(`The primary domain of ${asked.domain} was changed to ${asked.primary}`)
  }
  return lines
}

const isGone = (status: KnownSite['status']) => status === 'active' || status === 'missing'

/** Whether two are one site: its system user and its database never change. */
const isSame = (
  record: KnownSite,
  site: Pick<KnownSite, 'user' | 'db_name'> | undefined,
): boolean =>
  site?.user === record.user && (record.db_name === '' || site.db_name === record.db_name)

const MAX_JOB_TROUBLES = 50

/**
 * The result of a failed reading: an agent of another protocol, or one that cannot read it now,
 * does not report it, and the record stays.
 */
const unreported = () => undefined

const readMail = (reader: AgentReader, to: AgentAddress) =>
  reader.call(to, mailReading, {}).then(({ entries }) => mailTroublesOf(entries), unreported)

/** Reads the first sites whose jobs fail or stand still. */
const readJobs = (reader: AgentReader, to: AgentAddress) =>
  reader
    .call(to, jobTroublesReading, {})
    .then(({ entries }) => entries.slice(0, MAX_JOB_TROUBLES), unreported)

const readMaintenance = (reader: AgentReader, to: AgentAddress) =>
  reader
    .call(to, maintenanceReading, {})
    .then(({ maintenance }) => maintenance ?? undefined, unreported)

const readCertificates = (reader: AgentReader, to: AgentAddress) =>
  reader
    .call(to, certificatesReading, {})
    .then(
      ({ entries }) => new Map(entries.map(({ domain, expires_at }) => [domain, expires_at])),
      unreported,
    )

/** Reads the disk use by domain; null if never measured. Undefined if incomplete. */
const readUsage = (reader: AgentReader, to: AgentAddress) =>
  reader
    .call(to, usageReading, {})
    .then(
      ({ entries, total }) =>
        entries.length < total ? undefined : new Map(entries.map(measuredUse)),
      unreported,
    )

/** Orders the fields of a disk use: records are compared as text. */
function measuredUse({ domain, measured_at, ...use }: SiteUsage): [string, DiskUse | null] {
  if (measured_at === null) return [domain, null]
  const { bytes, files, database_bytes, limit_bytes, limit_files } = use
  return [domain, { bytes, files, database_bytes, limit_bytes, limit_files, measured_at }]
}

const readLogins = (reader: AgentReader, to: AgentAddress): Promise<ReportedLogins | undefined> =>
  reader
    .call(to, loginsReading, {})
    .then(({ entries, beside }) => ({ ...beside, logins: entries.slice(-MAX_LOGINS) }), unreported)

/** Reads who can log in to which site; undefined if incomplete. */
const readAccess = (reader: AgentReader, to: AgentAddress): Promise<ReportedAccess[] | undefined> =>
  reader
    .call(to, accessReading, {})
    .then(({ entries, total }) => (entries.length < total ? undefined : entries), unreported)
