import { and, desc, eq, ne } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { site_copies } from '#dashboard/kernel/db/copies-schema.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import type { SiteCopy } from '#shared/copies/api/copies.ts'

const MOST = 50

/** The site that a site was copied from, and its own copies, newest first. */
export async function listCopies(
  db: Database,
  id: number,
): Promise<{ copy_of: SiteCopy | null; copies: SiteCopy[] }> {
  const { site_id, original_id } = site_copies
  const [[copy_of = null], copies] = await db.read.batch([
    sitesIn(db).innerJoin(site_copies, eq(original_id, sites.id)).where(eq(site_id, id)),
    sitesIn(db)
      .innerJoin(site_copies, eq(site_id, sites.id))
      .where(and(eq(original_id, id), ne(sites.status, 'trashed')))
      .orderBy(desc(sites.id))
      .limit(MOST),
  ])
  return { copy_of, copies }
}

const sitesIn = (db: Database) =>
  db.read
    .select({
      id: sites.id,
      server_id: sites.server_id,
      server: servers.name,
      domain: sites.domain,
      tls: sites.tls,
      status: sites.status,
      staging: sites.staging,
      created_at: sites.created_at,
    })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
