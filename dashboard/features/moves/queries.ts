import { and, desc, eq, inArray, ne, or } from 'drizzle-orm'
import type { PolicyGuard } from '#dashboard/kernel/auth/policy.queries.ts'
import {
  batch,
  type Database,
  type Queries,
  type Statement,
  writeAll,
} from '#dashboard/kernel/db/client.ts'
import { site_names } from '#dashboard/kernel/db/domains-schema.ts'
import { lost_servers } from '#dashboard/kernel/db/lost-schema.ts'
import { mail_settings } from '#dashboard/kernel/db/mail-schema.ts'
import { site_moves } from '#dashboard/kernel/db/moves-schema.ts'
import type { ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { operations, servers, sites } from '#dashboard/kernel/db/schema.ts'
import type { MoveRow } from '#dashboard/kernel/targets/moves.queries.ts'
import type { SiteMove } from '#shared/moves/api/moves.ts'

export function findServer(db: Database, id: number): Promise<ServerRow | undefined> {
  return db.read.select().from(servers).where(eq(servers.id, id)).get()
}

/** Whether a user has declared that the server does not come back. */
export async function isLost(db: Database, server_id: number): Promise<boolean> {
  const row = await db.read
    .select({ server_id: lost_servers.server_id })
    .from(lost_servers)
    .where(eq(lost_servers.server_id, server_id))
    .get()
  return row !== undefined
}

/** Returns the newest restore of a site from a lost server. */
export const lastRestoreOf = (db: Database, site_id: number) =>
  db.read
    .select({ params: operations.params })
    .from(operations)
    .where(and(eq(operations.site_id, site_id), eq(operations.type, 'site.recover')))
    .orderBy(desc(operations.created_at), desc(operations.id))
    .limit(1)
    .get()

/**
 * Lists the sites of a server, managed or not, that have a name of this one, but not what a sync
 * recorded of the copy of a move, which the agent refuses if it is something else.
 */
export function findNamesakes(
  db: Database,
  { id, apex, domain, user }: Pick<SiteRow, 'id' | 'apex' | 'domain' | 'user'>,
  server_id: number,
): Promise<{ domain: string; server: string; status: SiteRow['status'] }[]> {
  const own = db.read
    .select({ apex: site_names.apex })
    .from(site_names)
    .where(eq(site_names.site_id, id))
  return db.read
    .select({ domain: sites.domain, server: servers.name, status: sites.status })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(
      and(
        eq(sites.server_id, server_id),
        ne(sites.id, id),
        or(eq(sites.apex, apex), inArray(sites.apex, own)),
        or(
          eq(sites.managed, true),
          eq(sites.status, 'trashed'),
          ne(sites.domain, domain),
          ne(sites.user, user),
        ),
      ),
    )
}

/** Returns the switched move of a site that is not confirmed, for viewers. */
export async function findUnconfirmed(db: Database, site_id: number): Promise<SiteMove | null> {
  const [row] = await db.read
    .select({
      other_id: site_moves.other_id,
      other: servers.name,
      moved_at: site_moves.moved_at,
      certificate: site_moves.certificate,
    })
    .from(site_moves)
    .innerJoin(servers, eq(servers.id, site_moves.other_id))
    .where(eq(site_moves.site_id, site_id))
  if (!row || row.moved_at === null) return null
  const { certificate, moved_at, ...facts } = row
  return { ...facts, moved_at, tls: certificate !== '' }
}

/**
 * Inserts the row of an operation, or updates that of an earlier move: from then on, the access policy
 * counts the site on both servers.
 */
export async function insertMove(
  db: Database,
  values: Pick<MoveRow, 'site_id' | 'other_id' | 'operation_id' | 'progress'>,
  guard?: PolicyGuard,
): Promise<void> {
  const { site_id: target, ...set } = values
  await writeAll(db, (queries) => [
    ...(guard ? [guard(queries)] : []),
    queries
      .insert(site_moves)
      .values({ site_id: target, ...set })
      .onConflictDoUpdate({ target: site_moves.site_id, set }),
  ])
}

export async function storeProgress(
  db: Database,
  site_id: number,
  progress: Record<string, unknown>,
): Promise<void> {
  await db.write((queries) =>
    queries.update(site_moves).set({ progress }).where(eq(site_moves.site_id, site_id)),
  )
}

interface SwitchedSite {
  site_id: number
  server_id: number
  other_id: number
  certificate: string
  moved_at: string
}

export const switchStatements = (
  queries: Queries,
  { site_id, server_id, ...values }: SwitchedSite,
): Statement[] => [
  // A sync that came meanwhile may have recorded it there, as one that it discovered.
  queries
    .delete(sites)
    .where(
      and(
        eq(sites.server_id, server_id),
        eq(sites.managed, false),
        eq(
          sites.apex,
          queries.select({ apex: sites.apex }).from(sites).where(eq(sites.id, site_id)),
        ),
      ),
    ),
  // A sync that came between the switch and now has not found it on its former server.
  queries
    .update(sites)
    .set({ server_id, status: 'active', status_reason: '', missing_since: null })
    .where(eq(sites.id, site_id)),
  queries.update(mail_settings).set({ server_id }).where(eq(mail_settings.site_id, site_id)),
  queries
    .update(site_moves)
    .set({ ...values, progress: {} })
    .where(eq(site_moves.site_id, site_id)),
]

export async function deleteMove(db: Database, site_id: number): Promise<void> {
  await db.write((queries) => batch(queries, endStatements(queries, site_id)))
}

export const endStatements = (queries: Queries, site_id: number): Statement[] => [
  queries.delete(site_moves).where(eq(site_moves.site_id, site_id)),
]

export const unlistStatements = (
  queries: Queries,
  { server_id, apex }: Pick<SiteRow, 'server_id' | 'apex'>,
): Statement[] => {
  const { server_id: home, apex: name, managed, status } = sites
  const isCopy = and(eq(home, server_id), eq(name, apex), eq(managed, false))
  return [queries.delete(sites).where(and(isCopy, eq(status, 'trashed')))]
}
