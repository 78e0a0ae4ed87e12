import { eq, inArray, sql } from 'drizzle-orm'
import { backups } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { site_copies } from '#dashboard/kernel/db/copies-schema.ts'
import { preparedQuery } from '#dashboard/kernel/db/prepared-query.ts'
import { bulk_items, operations, servers, sites } from '#dashboard/kernel/db/schema.ts'
import { notFound } from '#shared/kernel/errors.ts'
import type { Place } from '#shared/kernel/rights.ts'

/**
 * The ids of objects by the names of parameters; a site counts before its server. `copy_id` is that
 * of a copy, and names its original.
 */
export type Names = Readonly<Record<string, string | number>>

/** The tags of a server; none for one that was removed. */
const tags = sql<string[]>`coalesce(${servers.tags}, '[]')`.mapWith(servers.tags)

const ID = sql.placeholder('id')

const ofSite = preparedQuery((read) =>
  read
    .select({ server_id: sites.server_id, site_id: sites.id, tags })
    .from(sites)
    .leftJoin(servers, eq(servers.id, sites.server_id))
    .where(eq(sites.id, ID))
    .prepare(),
)

const ofServer = preparedQuery((read) =>
  read
    .select({ server_id: servers.id, site_id: sql<null>`null`, tags })
    .from(servers)
    .where(eq(servers.id, ID))
    .prepare(),
)

const ofOriginal = preparedQuery((read) =>
  read
    .select({ server_id: sites.server_id, site_id: sites.id, tags })
    .from(site_copies)
    .innerJoin(sites, eq(sites.id, site_copies.original_id))
    .leftJoin(servers, eq(servers.id, sites.server_id))
    .where(eq(site_copies.site_id, ID))
    .prepare(),
)

const ofBackup = preparedQuery((read) =>
  read
    .select({ server_id: sites.server_id, site_id: sites.id, tags })
    .from(backups)
    .innerJoin(sites, eq(sites.id, backups.site_id))
    .leftJoin(servers, eq(servers.id, sites.server_id))
    .where(eq(backups.id, ID))
    .prepare(),
)

const ofOperation = preparedQuery((read) =>
  read
    .select({ server_id: operations.server_id, site_id: operations.site_id, tags })
    .from(operations)
    .leftJoin(servers, eq(servers.id, operations.server_id))
    .where(eq(operations.id, ID))
    .prepare(),
)

const ofBulk = preparedQuery((read) =>
  read
    .select({ server_id: bulk_items.server_id, site_id: bulk_items.site_id, tags })
    .from(bulk_items)
    .leftJoin(servers, eq(servers.id, bulk_items.server_id))
    .where(eq(bulk_items.bulk_id, ID))
    .prepare(),
)

/**
 * Returns where the named objects are: none for an object that does not exist, and for one that is
 * in no part of the fleet, such as a setting. Where a path names a site, that alone counts: its
 * server is that of the records, whatever the path says.
 */
export async function findPlaces(db: Pick<Database, 'read'>, names: Names): Promise<Place[]> {
  const { site_id, server_id, operation_id, bulk_id, backup_id, copy_id } = names
  if (site_id !== undefined) return ofSite(db).all({ id: numberIn(site_id) })
  if (server_id !== undefined) return ofServer(db).all({ id: numberIn(server_id) })
  if (copy_id !== undefined) return ofOriginal(db).all({ id: numberIn(copy_id) })
  if (backup_id !== undefined) return ofBackup(db).all({ id: numberIn(backup_id) })
  if (operation_id !== undefined) return ofOperation(db).all({ id: String(operation_id) })
  if (bulk_id !== undefined) return ofBulk(db).all({ id: String(bulk_id) })
  return []
}

/** Returns the place of an object. Throws 404 when there is none. */
export async function getPlace(
  db: Pick<Database, 'read'>,
  names: { server_id: number } | { site_id: number },
): Promise<Place> {
  const [place] = await findPlaces(db, names)
  if (!place) throw notFound('site_id' in names ? 'Site' : 'Server')
  return place
}

/** Returns the sites with their servers. */
export const findSitePlaces = ({ read }: Pick<Database, 'read'>, ids: readonly number[]) =>
  read
    .select({ server_id: sites.server_id, site_id: sites.id })
    .from(sites)
    .where(inArray(sites.id, [...ids]))

/** Parses an id as `idIn` does; 0, which no object has, for anything else. */
const numberIn = (id: string | number): number => (/^[1-9]\d{0,14}$/.test(`${id}`) ? Number(id) : 0)
