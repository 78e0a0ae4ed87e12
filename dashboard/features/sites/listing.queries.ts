import { and, asc, eq, inArray, isNull, ne, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { chunksOf, yieldToEventLoop } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import { notFound } from '#shared/kernel/errors.ts'
import type { SiteDetail, SiteListed } from '#shared/sites/api/sites.ts'

const PAGE = 500

const CORE_COLUMNS = {
  id: sites.id,
  domain: sites.domain,
  user: sites.user,
  php: sites.php,
  tier: sites.tier,
  tls: sites.tls,
  wp_version: sites.wp_version,
}

const LISTED_COLUMNS = {
  ...CORE_COLUMNS,
  plugins: sql<number>`coalesce(updates_plugins, 0)`,
  themes: sql<number>`coalesce(updates_themes, 0)`,
  core: sql<number>`coalesce(updates_core, 0)`,
}

/** Lists shown sites outside the trash, in parts, so that other calls run. */
export async function listSites(db: Database, server_id: number): Promise<SiteListed[]> {
  const { id } = sites
  const ids = await db.read
    .select({ id })
    .from(sites)
    .where(
      and(eq(sites.server_id, server_id), ne(sites.status, 'trashed'), isNull(sites.ignored_at)),
    )
    .orderBy(asc(id))
  const found: SiteListed[] = []
  for (const some of chunksOf(ids, PAGE)) {
    const page = some.map((row) => row.id)
    const rows = await db.read
      .select(LISTED_COLUMNS)
      .from(sites)
      .where(inArray(id, page))
      .orderBy(asc(id))
    for (const { plugins, themes, core, ...site } of rows)
      found.push({ ...site, updates: { plugins, themes, core: core === 1 } })
    await yieldToEventLoop()
  }
  return found
}

/** Returns a site. Throws 404 for one of another server. */
export async function getSiteDetail(
  db: Database,
  server_id: number,
  id: number,
): Promise<SiteDetail> {
  const { docroot, framework, db_name, created_at } = sites
  const [row] = await db.read
    .select({ ...CORE_COLUMNS, docroot, framework, db_name, created_at })
    .from(sites)
    .where(and(eq(sites.id, id), eq(sites.server_id, server_id)))
  if (!row) throw notFound('Site')
  return row
}
