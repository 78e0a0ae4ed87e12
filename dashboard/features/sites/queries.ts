import { and, asc, desc, eq, ne, or, type SQL, sql } from 'drizzle-orm'
import { apexUnlessTaken, findHolder } from '#dashboard/features/domains/names.queries.ts'
import {
  batch,
  type Database,
  type Queries,
  type Statement,
  writeAll,
} from '#dashboard/kernel/db/client.ts'
import type { NewSite, OperationRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { operation_events, operations, servers, sites } from '#dashboard/kernel/db/schema.ts'
import { getSite } from '#dashboard/kernel/db/targets.ts'
import { violatesNotNull, violatesUnique } from '#dashboard/kernel/db/violations.ts'
import {
  getOperation,
  isNameTaken,
  type NewOperation,
  operationStatements,
} from '#dashboard/kernel/engine/queries.ts'
import { conflict, invalid } from '#shared/kernel/errors.ts'
import { apexOf } from '#shared/kernel/names.ts'

/** Returns the managed site of a system user outside the trash; the oldest of several. */
export const findSiteOfUser = (
  db: Database,
  server_id: number,
  user: string,
): Promise<SiteRow | undefined> =>
  db.read
    .select()
    .from(sites)
    .where(
      and(
        eq(sites.user, user),
        eq(sites.server_id, server_id),
        eq(sites.found, false),
        ne(sites.status, 'trashed'),
      ),
    )
    .orderBy(asc(sites.id))
    .get()

/** Inserts a site. The constraints decide, not a read before the write: two requests may race. */
export async function insertSite(
  db: Database,
  site: NewSite,
  operation: NewOperation,
  also: (queries: Queries, site_id: SQL<number>) => Statement[] = () => [],
): Promise<{ site: SiteRow; operation: OperationRow }> {
  const { server_id, domain } = site
  const site_id = sql<number>`(select id from sites where server_id = ${server_id} and domain = ${domain})`
  const apex = apexUnlessTaken(site.apex)
  const statements = (queries: Queries) => [
    queries.insert(sites).values({ ...site, apex }),
    ...operationStatements(queries, operation, { inserted: domain }),
    ...also(queries, site_id),
  ]
  await db
    .write((queries) => batch(queries, statements(queries)))
    .catch(async (error: unknown) => {
      if (isNameTaken(error)) throw conflict('Another site has just taken one of the names')
      const isTaken = violatesUnique(error, 'sites.') || violatesNotNull(error, 'sites.apex')
      if (!isTaken) throw error
      throw invalid({ domain: [(await reasonTaken(db, site)) ?? TAKEN_TEXT] })
    })
  const stored = await getOperation(db, operation.id)
  return {
    site: await getSite(db, site.server_id, stored.site_id ?? 0),
    operation: stored,
  }
}

type SiteName = Pick<NewSite, 'apex' | 'server_id'>

const TAKEN_TEXT = 'The domain is already taken'

/** Returns why the name is taken; undefined when it is free, or discovered on another server. */
export async function reasonTaken(
  db: Database,
  { apex, server_id }: SiteName,
): Promise<string | undefined> {
  const { domain, status, ignored_at } = sites
  const row = await db.read
    .select({ domain, status, ignored_at, server: servers.name })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(and(eq(sites.apex, apex), or(eq(sites.managed, true), eq(sites.server_id, server_id))))
    .orderBy(desc(sites.managed))
    .get()
  if (!row) return aliasOf(await findHolder(db, apex))
  if (row.status !== 'trashed') return takenText(row)
  return `${row.domain} is in the trash of ${row.server}: restore it or delete it permanently`
}

const aliasOf = (holder: { domain: string } | undefined) =>
  holder && `${TAKEN_TEXT}: it is a name of ${holder.domain}`

/** Returns the text for a taken name; of a hidden site, which the lists do not show. */
function takenText({ ignored_at }: Pick<SiteRow, 'ignored_at'>): string {
  return ignored_at === null
    ? TAKEN_TEXT
    : `${TAKEN_TEXT} by an ignored site that was found on this server`
}

/** Throws 422 on `domain` as in insertSite, for callers that insert nothing. */
export async function refuseTakenDomain(
  db: Database,
  { domain, server_id }: Pick<NewSite, 'domain' | 'server_id'>,
): Promise<void> {
  const reason = await reasonTaken(db, { apex: apexOf(domain), server_id })
  if (reason !== undefined) throw invalid({ domain: [reason] })
}

/** Throws 422 on `user` when a site of the server has it; the agent checks the machine. */
export async function refuseTakenUser(
  db: Database,
  server_id: number,
  user: string,
): Promise<void> {
  const row = await db.read
    .select({ id: sites.id })
    .from(sites)
    .where(and(eq(sites.server_id, server_id), eq(sites.user, user)))
    .get()
  if (row) throw invalid({ user: ['Another site of the server has this user'] })
}

export async function hasReachedAgent(db: Database, site_id: number): Promise<boolean> {
  const row = await db.read
    .select({ id: operations.id })
    .from(operations)
    .where(and(eq(operations.site_id, site_id), sql`started_at is not null`))
    .get()
  return row !== undefined
}

/** Removes a record without a counterpart on the machine, with its waiting operations. */
export async function deleteUnreached(
  db: Database,
  site: SiteRow,
  operation: NewOperation,
): Promise<void> {
  const { id, domain, created_at } = operation
  const done = { status: 'success', started_at: created_at, finished_at: created_at } as const
  await writeAll(db, (queries) => [
    queries
      .delete(operations)
      .where(and(eq(operations.site_id, site.id), eq(operations.status, 'queued'))),
    ...operationStatements(queries, operation, site.id, done),
    queries.insert(operation_events).values({
      operation_id: id,
      id: 1,
      event: 'complete',
      data: { status: 'ok', domain },
    }),
    queries.delete(sites).where(eq(sites.id, site.id)),
  ])
}
