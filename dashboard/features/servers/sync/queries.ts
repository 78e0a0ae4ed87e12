import {
  type AnyColumn,
  and,
  asc,
  eq,
  getTableColumns,
  gt,
  gte,
  ne,
  not,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { MINUTE } from '#dashboard/features/metrics/key.ts'
import { minutesStatement, type Reading } from '#dashboard/features/metrics/queries.ts'
import { type Reports, reportStatements } from '#dashboard/features/servers/reports.queries.ts'
import { MAX_IMPORTS_PER_DAY } from '#dashboard/kernel/agents/budgets.ts'
import {
  batch,
  type Database,
  type Queries,
  type Statement,
  writeAll,
} from '#dashboard/kernel/db/client.ts'
import { OPERATING } from '#dashboard/kernel/db/exclusion.ts'
import { preparedQuery } from '#dashboard/kernel/db/prepared-query.ts'
import type { NewSite, ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { activities, servers, sites } from '#dashboard/kernel/db/schema.ts'
import { chunksOf, yieldToEventLoop } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import { trashedRow } from '#dashboard/kernel/targets/trashed-row.ts'
import type { FoundSite } from '#shared/kernel/found-site.ts'
import { apexOf } from '#shared/kernel/names.ts'
import type { Metrics, Service } from '#shared/servers/agent.ts'
import { type Adoption, discoveredColumns } from './site-columns.ts'
import type { SyncPlan } from './sync-plan.ts'

const OFFLINE_AFTER = 3
const PAGE = 500
const UPDATES = 50

export interface KnownSite extends Omit<SiteRow, 'inventory' | 'health_checks' | 'visited_at'> {
  operating: boolean
}

const sitePage = preparedQuery((read) => {
  const { inventory: _, health_checks: __, visited_at: ___, ...own } = getTableColumns(sites)
  const { server_id, domain } = sites
  return read
    .select({ ...own, operating: sql`${OPERATING}`.mapWith(Boolean) })
    .from(sites)
    .where(and(eq(server_id, sql.placeholder('server_id')), gt(domain, sql.placeholder('after'))))
    .orderBy(asc(domain))
    .limit(PAGE)
    .prepare()
})

/** Lists all sites of a server, ordered by domain and without inventories, read in small parts. */
export async function listSiteRows(db: Database, server_id: number): Promise<KnownSite[]> {
  const rows: KnownSite[] = []
  for (let after = ''; ; await yieldToEventLoop()) {
    const page = await sitePage(db).all({ server_id, after })
    rows.push(...page)
    after = page.at(-1)?.domain ?? ''
    if (page.length < PAGE) return rows
  }
}

interface SyncInput {
  server: ServerRow
  reading: { metrics: Metrics; services: Service[]; php_versions: string[] }
  reports: Reports
  plan: SyncPlan
  adoption: Adoption
  /** Returns what else the agent reports of a site. */
  columns: (domain: string) => Partial<SiteRow>
  /** The time before the first question to the agent. */
  since: string
  now: string
  purge_at: string
  /** The remaining number of imports; the number of sites that were not read. */
  room: number
  unread: number
  with_activity: boolean
}

/**
 * Applies a sync in small parts, between which others may write; the last one marks the server as
 * synced. Returns the number of imported sites.
 */
export async function applySync(db: Database, synced: SyncInput): Promise<number> {
  const { server, reports, plan, now } = synced
  const pieces = [...chunksOf(plan.updates, UPDATES)]
  const last = pieces.pop() ?? []
  for (const some of pieces) {
    await db.write((queries) => batch(queries, updateStatements(queries, some, synced)))
    await yieldToEventLoop()
  }
  const imported = await importFound(db, synced)
  const statements = (queries: Queries) => [
    minutesStatement(queries, [readingOf(synced)]),
    contactStatement(queries, synced),
    ...updateStatements(queries, last, synced),
    serverStatement(queries, synced, imported),
    ...reportStatements(queries, { server_id: server.id, now }, reports),
    ...activityStatements(queries, synced, imported),
  ]
  await writeAll(db, statements, {
    only_readings: ([_minutes, _contact, ...changes]) =>
      changes.every((change) => Object(change).rowsAffected === 0),
  })
  return imported
}

function importFound(db: Database, synced: SyncInput): Promise<number> {
  const { server, plan, adoption, now, purge_at, room, columns } = synced
  const first = plan.imports.slice(0, MAX_IMPORTS_PER_DAY)
  const then = plan.trashed.slice(0, MAX_IMPORTS_PER_DAY - first.length)
  const rows = [
    ...first.map((site) => ({
      ...importedRow(site, server.id, now),
      ...columns(site.domain),
      ...adoption.columns(site),
    })),
    ...then.flatMap((site) =>
      adoption.identity(site.user) ? trashedRow(site, server.id, { now, purge_at }) : [],
    ),
  ]
  return importSites(db, server, rows, { now, room })
}

function activityStatements(
  queries: Queries,
  { server, plan, now, with_activity }: SyncInput,
  imported: number,
): Statement[] {
  const isChanged = server.status !== 'online' || imported > 0 || plan.missing.length > 0
  return with_activity && isChanged ? [syncActivity(queries, server, 'success', now)] : []
}

function serverStatement(
  queries: Queries,
  { server, reading, plan, unread }: SyncInput,
  imported: number,
): Statement {
  const { metrics, ...programs } = reading
  const { os, version } = metrics
  const found = unread + plan.imports.length + plan.trashed.length
  const values: Partial<ServerRow> = {
    ...programs,
    os,
    version,
    status: 'online',
    failures: 0,
    last_error: '',
    answered_by: null,
    imports_refused: found - imported,
  }
  return queries
    .update(servers)
    .set(values)
    .where(and(eq(servers.id, server.id), differsFrom(values)))
}

/** Whether a server has another value than these: an update would write what is there. */
function differsFrom(values: Partial<ServerRow>): SQL | undefined {
  const columns: Record<string, AnyColumn> = getTableColumns(servers)
  return or(
    ...Object.entries(values).flatMap(([name, value]) => {
      const column = columns[name]
      return column ? sql`${column} is not ${sql.param(value, column)}` : []
    }),
  )
}

/** Records a contact. Its times are right again after the clock of the dashboard was. */
function contactStatement(queries: Queries, { server, reading, now }: SyncInput): Statement {
  return queries.run(sql`update servers
    set metrics = ${JSON.stringify(reading.metrics)}, metrics_at = ${now}, last_sync = ${now}
    where id = ${server.id}`)
}

function readingOf({ server, reading, now }: SyncInput): Reading {
  const at = Math.floor(Date.parse(now) / 1000 / MINUTE) * MINUTE
  return { server_id: server.id, at, metrics: reading.metrics }
}

/** Records a failed contact; a server that never answered stays pending. */
export async function recordFailedContact(
  db: Database,
  server: ServerRow,
  reason: string,
  failed: { now: string; with_activity: boolean; answered_by: number | null },
): Promise<void> {
  const { now, with_activity, answered_by } = failed
  const { id } = server
  const falls = server.status === 'online' && server.failures + 1 >= OFFLINE_AFTER
  await writeAll(db, (queries) => [
    queries.run(sql`update servers set failures = failures + 1 where id = ${id}`),
    queries
      .update(servers)
      .set({ last_error: reason, answered_by })
      .where(and(eq(servers.id, id), ne(servers.last_error, reason))),
    queries
      .update(servers)
      .set({ status: 'offline' })
      .where(
        and(eq(servers.id, id), eq(servers.status, 'online'), gte(servers.failures, OFFLINE_AFTER)),
      ),
    ...(with_activity && falls ? [syncActivity(queries, server, 'failed', now)] : []),
  ])
}

function syncActivity(
  queries: Queries,
  { id, hostname }: ServerRow,
  status: 'success' | 'failed',
  created_at: string,
): Statement {
  return queries.insert(activities).values({
    type: 'server.sync',
    domain: hostname,
    status,
    server_id: id,
    created_at,
  })
}

interface ReportTime {
  server: Pick<ServerRow, 'id'>
  /** The time before the first question to the agent. */
  since: string
  now: string
}

const updateStatements = (
  queries: Queries,
  updates: SyncPlan['updates'],
  asked: ReportTime,
): Statement[] => updates.map((update) => updateStatement(queries, update, asked))

/**
 * Updates a site unless its new state is unknown: it depends on the old one, on the server and on
 * the domain, which may have changed by now. The report is too old for a site whose operation has
 * ended since, and one with an active operation may be on its way: the next sync compares them.
 */
function updateStatement(
  queries: Queries,
  { id, domain, from, values }: SyncPlan['updates'][number],
  { server, since: asked_at, now }: ReportTime,
): Statement {
  const { status } = values
  const since = status === undefined ? {} : { missing_since: status === 'missing' ? now : null }
  const still =
    status === undefined
      ? notInArray(sites.status, ['provisioning', 'deleting'])
      : and(eq(sites.status, from), not(OPERATING))
  const ended = sql`exists (select 1 from operations
    where site_id = ${id} and finished_at > ${asked_at})`
  const same = and(eq(sites.id, id), eq(sites.server_id, server.id), eq(sites.domain, domain))
  return queries
    .update(sites)
    .set({ ...values, ...since })
    .where(and(same, still, not(ended)))
}

const ROWS = 100

type ImportingServer = Pick<ServerRow, 'id' | 'imports' | 'imports_day'>

/** Records discovered sites within the budget of the day and `room`. Returns their number. */
async function importSites(
  db: Database,
  server: ImportingServer,
  rows: readonly NewSite[],
  { now, room }: { now: string; room: number },
): Promise<number> {
  const day = now.slice(0, 10)
  const used = server.imports_day === day ? server.imports : 0
  const count = Math.max(0, Math.min(rows.length, room, MAX_IMPORTS_PER_DAY - used))
  if (count === 0 || !(await reserveImports(db, server.id, day, count))) return 0
  for (const some of chunksOf(rows.slice(0, count), ROWS)) {
    await db.write((queries) => queries.insert(sites).values(some).onConflictDoNothing())
    await yieldToEventLoop()
  }
  return count
}

/** Reserves imports of the day; false when another dashboard has used the budget up. */
async function reserveImports(
  db: Database,
  id: number,
  day: string,
  count: number,
): Promise<boolean> {
  const used = sql<number>`(case when imports_day = ${day} then imports else 0 end)`
  const rows = await db.write((queries) =>
    queries
      .update(servers)
      .set({ imports: sql`${used} + ${count}`, imports_day: day })
      .where(and(eq(servers.id, id), sql`${used} + ${count} <= ${MAX_IMPORTS_PER_DAY}`))
      .returning({ id: servers.id }),
  )
  return rows.length > 0
}

function importedRow(found: FoundSite, server_id: number, created_at: string): NewSite {
  const { domain } = found
  const facts = { ...discoveredColumns(found), domain, apex: apexOf(domain) }
  return { ...facts, server_id, managed: false, found: true, status: 'active', created_at }
}
