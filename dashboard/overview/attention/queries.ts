import { and, asc, desc, inArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/db/client.ts'
import { operations, sites } from '#dashboard/db/schema.ts'
import { healthAt } from '#dashboard/health/queries.ts'
import { hasOthers, hasUpdates, isExpiring, isShown } from '#dashboard/listing/filter.queries.ts'
import { LISTING } from '#dashboard/listing/sites.queries.ts'

const needy = {
  id: sites.id,
  server_id: sites.server_id,
  domain: sites.domain,
  found: sites.found,
  status_reason: sites.status_reason,
  tls: sites.tls,
  updates_plugins: sites.updates_plugins,
  updates_themes: sites.updates_themes,
  updates_core: sites.updates_core,
  certificate_expires_at: sites.certificate_expires_at,
  health_code: sites.health_code,
  health_reason: sites.health_reason,
  health_since: sites.health_since,
  /** The last operation of the site, if it failed. */
  operation_id: sql<string | null>`(select id from operations indexed by operations_site
    where operations.site_id = sites.id and operations.status = 'failed'
    order by operations.created_at desc limit 1)`,
}

/** With the total of its kind. */
export type NeedySite = Awaited<ReturnType<typeof needySites>>[number] & { total: number }
export type DiskSite = Awaited<ReturnType<typeof diskSites>>[number]
export type OfPhp = Awaited<ReturnType<typeof sitesByPhp>>[number]
export type FailedOperation = Awaited<ReturnType<typeof failedOperations>>[number]

/**
 * At most `shown` rows of each kind, `few` of updates, each with the total of its kind. One scan of the
 * index counts all kinds; only those that have sites are read.
 */
export async function readNeeds(
  db: Database,
  { now, since, shown, few }: { now: Date; since: string; shown: number; few: number },
) {
  const kinds: Record<Kind, Needs> = {
    down: { which: sql`${healthAt(now)} = 'down'`, order: sites.domain, limit: shown },
    degraded: { which: sql`${healthAt(now)} = 'degraded'`, order: sites.domain, limit: shown },
    failures: { which: isFailed, order: sites.domain, limit: shown },
    lost: { which: isMissing, order: sites.domain, limit: shown },
    expiring: { which: isExpiring(now), order: sites.certificate_expires_at, limit: shown },
    outdated: { which: isUpdatable, order: mostUpdates, limit: few },
    conflicts: { which: isConflict, order: sites.domain, limit: few },
  }
  const totals = await countNeeds(db, kinds)
  const read = async (kind: Kind): Promise<NeedySite[]> => {
    const total = totals?.[kind] ?? 0
    if (total === 0) return []
    return (await needySites(db, kinds[kind])).map((row) => ({ ...row, total }))
  }
  return {
    down: await read('down'),
    degraded: await read('degraded'),
    failures: await read('failures'),
    lost: await read('lost'),
    expiring: await read('expiring'),
    outdated: await read('outdated'),
    conflicts: await read('conflicts'),
    disks: await diskSites(db, shown),
    operations: await failedOperations(db, since, shown),
    php: await sitesByPhp(db),
  }
}

type Kind = 'down' | 'degraded' | 'failures' | 'lost' | 'expiring' | 'outdated' | 'conflicts'

interface Needs {
  which: SQL
  order: SQL | typeof sites.domain | typeof sites.certificate_expires_at
  limit: number
}

function countNeeds(db: Database, kinds: Record<Kind, Needs>) {
  const total = (kind: Kind) => sql<number>`count(*) filter (where ${kinds[kind].which})`
  return db.read
    .select({
      down: total('down'),
      degraded: total('degraded'),
      failures: total('failures'),
      lost: total('lost'),
      expiring: total('expiring'),
      outdated: total('outdated'),
      conflicts: total('conflicts'),
    })
    .from(LISTING)
    .where(isShown)
    .get()
}

const isFailed = sql`${sites.status} = 'failed'`
const isMissing = sql`${sites.status} = 'missing'`
const isUpdatable = sql`${sites.status} = 'active' and ${hasUpdates}`
/** A discovered site whose name another server also has: often during a move. */
const isConflict = sql`not ${sites.managed} and ${sites.status} in ('active', 'suspended') and ${hasOthers}`
/** Those of WordPress itself before any number of plugins. */
const mostUpdates = sql`coalesce(updates_core, 0) desc, coalesce(updates_plugins, 0) + coalesce(updates_themes, 0) desc`

function needySites(db: Database, { which, order, limit }: Needs) {
  const those = db.read
    .select({ id: sql<number>`${sites.id}` })
    .from(LISTING)
    .where(and(isShown, which))
    .orderBy(sql`${order}`, asc(sites.domain))
    .limit(limit)
  return db.read
    .select(needy)
    .from(sites)
    .where(inArray(sites.id, those))
    .orderBy(sql`${order}`, asc(sites.domain))
}

/** Those over a limit first. The index has only sites with a level. */
function diskSites(db: Database, limit: number) {
  const those = sql`${sites} indexed by sites_disk
    where disk_level is not null and status in ('active', 'suspended')`
  const order = sql`case disk_level when 'over' then 0 when 'near' then 1 else 2 end`
  return db.read
    .select({
      id: sites.id,
      server_id: sites.server_id,
      domain: sites.domain,
      tier: sites.tier,
      disk: sites.disk,
      total: sql<number>`(select count(*) from ${those})`,
    })
    .from(sites)
    .where(sql`${sites.id} in (select id from ${those} order by ${order}, domain limit ${limit})`)
    .orderBy(order, asc(sites.domain))
}

function sitesByPhp(db: Database) {
  return db.read
    .select({
      php: sql<string>`${sites.php}`,
      server_id: sql<number>`${sites.server_id}`,
      total: sql<number>`count(*)`,
    })
    .from(LISTING)
    .where(sql`${sites.status} in ('active', 'suspended') and ${isShown}`)
    .groupBy(sites.server_id, sites.php)
}

/** Without a retry. Failed creations and backups have their own kinds; the next contact ends a sync. */
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
      and operations.type <> 'backup.create'
      and (operations.site_id is null or exists (
        select 1 from sites where sites.id = operations.site_id and sites.ignored_at is null
          and not (operations.type = 'site.create' and sites.status in ('failed', 'cancelled'))))
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
