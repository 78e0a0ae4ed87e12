import { asc, desc, inArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/db/client.ts'
import { operations, sites } from '#dashboard/db/schema.ts'
import { hasUpdates, isExpiring, LISTING } from '../sites/queries.ts'

const needy = {
  id: sites.id,
  server_id: sites.server_id,
  domain: sites.domain,
  status_reason: sites.status_reason,
  tls: sites.tls,
  updates_plugins: sites.updates_plugins,
  updates_themes: sites.updates_themes,
  updates_core: sites.updates_core,
  certificate_expires_at: sites.certificate_expires_at,
  /** The last operation of the site, when that is what failed. */
  operation_id: sql<string | null>`(select id from operations indexed by operations_site
    where operations.site_id = sites.id and operations.status = 'failed'
    order by operations.created_at desc limit 1)`,
}

type Needs = Awaited<ReturnType<typeof readNeeds>>
export type NeedySite = Needs['failed'][number]
export type OfPhp = Needs['php'][number]
export type FailedOperation = Needs['operations'][number]

/** At most `shown` rows of each kind, of updates `few`, and how many there are of each. */
export async function readNeeds(
  db: Database,
  { now, since, shown, few }: { now: Date; since: string; shown: number; few: number },
) {
  const expires = isExpiring(now)
  const [failed, missing, expiring, updates, operations, php, [totals]] = await db.read.batch([
    needySites(db, isFailed, sites.domain, shown),
    needySites(db, isMissing, sites.domain, shown),
    needySites(db, expires, sites.certificate_expires_at, shown),
    needySites(db, isUpdatable, mostUpdates, few),
    failedOperations(db, since, shown),
    sitesByPhp(db),
    db.read
      .select({
        failed: sum(isFailed),
        missing: sum(isMissing),
        expiring: sum(expires),
        updates: sum(isUpdatable),
      })
      .from(LISTING),
  ])
  const none = { failed: 0, missing: 0, expiring: 0, updates: 0 }
  return { failed, missing, expiring, updates, operations, php, totals: totals ?? none }
}

const sum = (condition: SQL) => sql<number>`coalesce(sum(${condition}), 0)`

const isFailed = sql`${sites.status} = 'failed'`
const isMissing = sql`${sites.status} = 'missing'`
const isUpdatable = sql`${sites.status} = 'active' and ${hasUpdates}`
/** Those of WordPress itself before any number of plugins. */
const mostUpdates = sql`coalesce(updates_core, 0) desc, coalesce(updates_plugins, 0) + coalesce(updates_themes, 0) desc`

function needySites(
  db: Database,
  which: SQL,
  order: SQL | typeof sites.domain | typeof sites.certificate_expires_at,
  limit: number,
) {
  const those = db.read
    .select({ id: sql<number>`${sites.id}` })
    .from(LISTING)
    .where(which)
    .orderBy(sql`${order}`, asc(sites.domain))
    .limit(limit)
  return db.read
    .select(needy)
    .from(sites)
    .where(inArray(sites.id, those))
    .orderBy(sql`${order}`, asc(sites.domain))
}

function sitesByPhp(db: Database) {
  return db.read
    .select({
      php: sql<string>`${sites.php}`,
      server_id: sql<number>`${sites.server_id}`,
      total: sql<number>`count(*)`,
    })
    .from(LISTING)
    .where(sql`${sites.status} in ('active', 'suspended')`)
    .groupBy(sites.server_id, sites.php)
}

/**
 * Those that nobody has repeated since. A failed creation is told with its site, and a failed sync
 * is over with the next contact.
 */
function failedOperations(db: Database, since: string, limit: number) {
  const { id, type, server_id, site_id, domain, error, finished_at } = operations
  return db.read
    .select({
      id,
      type,
      server_id,
      site_id,
      domain,
      error,
      finished_at,
      total: sql<number>`count(*) over ()`,
    })
    .from(operations)
    .where(sql`operations.status = 'failed' and operations.finished_at > ${since}
      and (operations.site_id is null or exists (
        select 1 from sites where sites.id = operations.site_id
          and not (operations.type = 'site.create' and sites.status = 'failed')))
      and not (operations.type = 'server.sync' and exists (
        select 1 from servers where servers.id = operations.server_id
          and servers.last_sync > operations.finished_at))
      and not exists (
        select 1 from operations as later where later.type = operations.type
          and later.server_id = operations.server_id and later.site_id is operations.site_id
          and later.created_at > operations.created_at and later.status <> 'cancelled')`)
    .orderBy(desc(finished_at))
    .limit(limit)
}
