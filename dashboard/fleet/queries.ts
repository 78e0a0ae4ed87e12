import { and, eq, inArray, notInArray, sql } from 'drizzle-orm'
import { batch, type Database, type Queries, type Statement } from '#dashboard/db/client.ts'
import type { NewSite, ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import { activities, servers, sites } from '#dashboard/db/schema.ts'
import { MINUTE } from '#dashboard/history/key.ts'
import { minutesStatement, type Reading } from '#dashboard/history/queries.ts'
import type { FoundSite, Metrics, Service, TrashedSite } from '#shared/agent.ts'
import { apexOf } from '#shared/names.ts'
import type { SyncPlan } from './sync-plan.ts'

const OFFLINE_AFTER = 3
const IMPORT_ROWS = 200

export function listSiteRows(db: Database, server_id: number): Promise<SiteRow[]> {
  return db.read.select().from(sites).where(eq(sites.server_id, server_id))
}

/** Those found that nobody has on record, neither so nor with or without `www.`. */
export async function withoutTaken<T extends { domain: string }>(
  db: Database,
  found: readonly T[],
): Promise<T[]> {
  const taken = new Set<string>()
  for (let from = 0; from < found.length; from += IMPORT_ROWS) {
    const some = found.slice(from, from + IMPORT_ROWS).map(({ domain }) => apexOf(domain))
    const rows = await db.read
      .select({ apex: sites.apex })
      .from(sites)
      .where(inArray(sites.apex, some))
    for (const { apex } of rows) taken.add(apex)
  }
  return found.filter(({ domain }) => !taken.has(apexOf(domain)))
}

interface Synced {
  server: ServerRow
  reading: { metrics: Metrics; services: Service[]; php_versions: string[] }
  plan: SyncPlan
  now: string
  /** When a site that was found in the trash is purged. */
  purge_at: string
  tell: boolean
}

/** One batch. A site that an operation took in the meantime is left alone. */
export async function applySync(db: Database, synced: Synced): Promise<void> {
  const { server, plan, now, purge_at, tell } = synced
  const changed = server.status !== 'online' || plan.imports.length > 0 || plan.missing.length > 0
  await db.write((queries) =>
    batch(queries, [
      readingStatement(queries, synced),
      minutesStatement(queries, [readingOf(synced)]),
      ...plan.updates.map((update) => updateStatement(queries, update)),
      ...importStatements(queries, [
        ...plan.imports.map((site) => importedRow(site, server.id, now)),
        ...plan.trashed.map((site) => trashedRow(site, server.id, { now, purge_at })),
      ]),
      ...(tell && changed ? [syncActivity(queries, server, 'success', now)] : []),
    ]),
  )
}

function readingStatement(queries: Queries, { server, reading, now }: Synced): Statement {
  const { os, version } = reading.metrics
  return queries
    .update(servers)
    .set({
      ...reading,
      os,
      version,
      status: 'online',
      failures: 0,
      last_error: '',
      last_sync: now,
      metrics_at: now,
    })
    .where(eq(servers.id, server.id))
}

/** As the poll of each minute has it. */
function readingOf({ server, reading, now }: Synced): Reading {
  const at = Math.floor(Date.parse(now) / 1000 / MINUTE) * MINUTE
  return { server_id: server.id, at, metrics: reading.metrics }
}

/** A state follows from the one that the record had: by now that may be another one. */
function updateStatement(
  queries: Queries,
  { id, from, values }: SyncPlan['updates'][number],
): Statement {
  const still =
    values.status === undefined
      ? notInArray(sites.status, ['provisioning', 'deleting'])
      : eq(sites.status, from)
  return queries
    .update(sites)
    .set(values)
    .where(and(eq(sites.id, id), still))
}

/** A domain that another server has on record stays there. */
function importStatements(queries: Queries, rows: readonly NewSite[]): Statement[] {
  const statements: Statement[] = []
  for (let from = 0; from < rows.length; from += IMPORT_ROWS)
    statements.push(
      queries
        .insert(sites)
        .values(rows.slice(from, from + IMPORT_ROWS))
        .onConflictDoNothing(),
    )
  return statements
}

function importedRow(found: FoundSite, server_id: number, created_at: string): NewSite {
  const { updates, ...facts } = found
  return {
    ...facts,
    server_id,
    apex: apexOf(found.domain),
    managed: false,
    status: 'active',
    updates_plugins: updates.plugins,
    updates_themes: updates.themes,
    updates_core: updates.core,
    created_at,
  }
}

function trashedRow(
  { deleted_at, size, restorable: _, ...facts }: TrashedSite,
  server_id: number,
  { now, purge_at }: { now: string; purge_at: string },
): NewSite {
  return {
    ...facts,
    server_id,
    apex: apexOf(facts.domain),
    managed: true,
    status: 'trashed',
    trashed_at: deleted_at,
    purge_at,
    trash_size: size,
    created_at: now,
  }
}

/** A server that never answered stays pending. */
export async function recordFailedContact(
  db: Database,
  server: ServerRow,
  reason: string,
  now: string,
  tell: boolean,
): Promise<void> {
  const falls = server.status === 'online' && server.failures + 1 >= OFFLINE_AFTER
  await db.write((queries) =>
    batch(queries, [
      queries
        .update(servers)
        .set({
          failures: sql`failures + 1`,
          last_error: reason,
          status: sql`case when status = 'online' and failures + 1 >= ${OFFLINE_AFTER} then 'offline' else status end`,
        })
        .where(eq(servers.id, server.id)),
      ...(tell && falls ? [syncActivity(queries, server, 'failed', now)] : []),
    ]),
  )
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
