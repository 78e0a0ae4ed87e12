import { and, asc, desc, inArray, isNotNull, type SQL, sql } from 'drizzle-orm'
import { healthAt } from '#dashboard/features/health/queries.ts'
import { isConflict, isUpdatable } from '#dashboard/features/overview/parts/queries.ts'
import { isExpiring, isShown } from '#dashboard/features/sites/listing/filter.queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { operations, servers, sites } from '#dashboard/kernel/db/schema.ts'
import {
  isOnVisibleServer,
  isOnVisibleSite,
  isVisibleSite,
  visibleSites,
} from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'

const NEEDY_SITE = {
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
  operation_id: sql<string | null>`(select id from operations indexed by operations_site
    where operations.site_id = sites.id and operations.status = 'failed'
    order by operations.created_at desc limit 1)`,
}

/** A site with a need, and the total of the kind. */
export type NeedySite = Awaited<ReturnType<typeof needySites>>[number] & { total: number }
export type DiskSite = Awaited<ReturnType<typeof diskSites>>[number]
export type FailedOperation = Awaited<ReturnType<typeof failedOperations>>[number]

/**
 * Lists at most `shown` sites of each kind, `few` of updates and conflicts, each with the total of
 * its kind. Only kinds that have sites are read, and by an index in their order.
 */
export async function readNeeds(
  db: Database,
  {
    totals,
    visible,
    ...times
  }: {
    now: Date
    since: string
    shown: number
    few: number
    totals: Record<NeedKind, number>
    visible: Visible | undefined
  },
) {
  const { now, since, shown, few } = times
  const unwell = (health: 'down' | 'degraded'): SiteNeeds => ({
    index: 'sites_unwell',
    order: sql`domain`,
    limit: shown,
    which: sql`health in ('down', 'degraded') and status = 'active'
      and health = ${health} and ${healthAt(now)} = ${health}`,
  })
  const broken = (status: 'failed' | 'missing'): SiteNeeds => ({
    index: 'sites_broken',
    order: sql`domain`,
    limit: shown,
    which: sql`status in ('failed', 'missing') and status = ${status}`,
  })
  const kinds: Record<NeedKind, SiteNeeds> = {
    down: unwell('down'),
    degraded: unwell('degraded'),
    failures: broken('failed'),
    lost: broken('missing'),
    expiring: {
      index: 'sites_expiring',
      which: isExpiring(now),
      limit: shown,
      order: sql`certificate_expires_at`,
    },
    outdated: { index: 'sites_outdated', which: isUpdatable, order: mostUpdates, limit: few },
    conflicts: { index: 'sites_in_order', which: isConflict, order: sql`domain`, limit: few },
  }
  const read = async (kind: NeedKind): Promise<NeedySite[]> => {
    const total = totals[kind]
    if (total === 0) return []
    return (await needySites(db, kinds[kind], visible)).map((row) => ({ ...row, total }))
  }
  return {
    down: await read('down'),
    degraded: await read('degraded'),
    failures: await read('failures'),
    lost: await read('lost'),
    expiring: await read('expiring'),
    outdated: await read('outdated'),
    conflicts: await read('conflicts'),
    disks: await diskSites(db, shown, visible),
    operations: await failedOperations(db, since, shown, visible),
  }
}

type NeedKind = 'down' | 'degraded' | 'failures' | 'lost' | 'expiring' | 'outdated' | 'conflicts'

interface SiteNeeds {
  /** The index that has the rows in this order. */
  index: string
  which: SQL
  order: SQL
  limit: number
}

/** The order of the index: updates of WordPress itself before any number of plugins. */
const mostUpdates = sql`(updates_core is 1) desc, (case when updates_plugins is null then 0 else updates_plugins end + case when updates_themes is null then 0 else updates_themes end) desc`

async function needySites(
  db: Database,
  { index, which, order, limit }: SiteNeeds,
  visible: Visible | undefined,
) {
  const those = db.read
    .select({ id: sql<number>`${sites.id}` })
    .from(sql`${sites} indexed by ${sql.identifier(index)}`)
    .where(and(isShown, which, isVisibleSite(visible)))
    .orderBy(order, asc(sites.domain), asc(sites.id))
    .limit(limit)
  return db.read
    .select(NEEDY_SITE)
    .from(sites)
    .where(inArray(sites.id, those))
    .orderBy(order, asc(sites.domain), asc(sites.id))
}

/** Selects the sites with a disk level, which alone are in the index, the fullest first. */
function diskSites(db: Database, limit: number, visible: Visible | undefined) {
  const those = sql`${sites} indexed by sites_disk
    where disk_level is not null and status in ('active', 'suspended')
      and ${visibleSites(visible)}`
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
    .orderBy(order, asc(sites.domain), asc(sites.id))
}

export type ContradictedSite = Awaited<ReturnType<typeof contradictedSites>>[number]

const CONTRADICTIONS = {
  identity: sql`json_remove(reported_identity, '$.foreign') <> '{}'`,
  name: sql`reported_identity ->> '$.foreign' is not null`,
}

/**
 * Selects the sites whose reported identity contradicts the records, first those where more than
 * the database differs. The index contains only contradicted sites.
 */
export function contradictedSites(
  db: Database,
  which: keyof typeof CONTRADICTIONS,
  limit: number,
  visible: Visible | undefined,
) {
  const those = sql`${sites} indexed by sites_identity
    where reported_identity is not null and ${CONTRADICTIONS[which]} and ${visibleSites(visible)}`
  const order = sql`case when reported_identity ->> '$.user' is null
    and reported_identity ->> '$.docroot' is null
    and reported_identity ->> '$.domain' is null then 1 else 0 end`
  return db.read
    .select({
      id: sites.id,
      server_id: sites.server_id,
      domain: sites.domain,
      user: sites.user,
      docroot: sites.docroot,
      db_name: sites.db_name,
      reported_identity: sites.reported_identity,
      total: sql<number>`(select count(*) from ${those})`,
    })
    .from(sites)
    .where(sql`${sites.id} in (select id from ${those} order by ${order}, domain limit ${limit})`)
    .orderBy(order, asc(sites.domain), asc(sites.id))
}

/** Lists the servers at whose address the agent of another one has answered last. */
export const listAnsweredByOthers = (db: Database, visible: Visible | undefined) =>
  db.read
    .select({ id: servers.id, name: servers.name, last_error: servers.last_error })
    .from(servers)
    .where(and(isNotNull(servers.answered_by), isOnVisibleServer(visible, servers.id)))

/** Lists failed operations without a retry, but no creations, backups and syncs. */
function failedOperations(
  db: Database,
  since: string,
  limit: number,
  visible: Visible | undefined,
) {
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
      and (operations.type <> 'backup.create' or error ->> '$.code' = 'result_mismatch')
      and (operations.site_id is null or exists (
        select 1 from sites where sites.id = operations.site_id and sites.ignored_at is null
          and not (operations.type = 'site.create' and sites.status in ('failed', 'cancelled'))))
      and not (operations.type = 'server.sync' and exists (
        select 1 from servers where servers.id = operations.server_id
          and servers.last_sync > operations.finished_at))
      and not exists (
        select 1 from operations as later where later.type = operations.type
          and later.server_id = operations.server_id and later.site_id is operations.site_id
          and later.created_at > operations.created_at and later.status <> 'cancelled')
      and ${isOnVisibleSite(visible, operations) ?? sql`true`}`)
    .orderBy(
      // The critical ones, which are mailed, before any number of others.
      desc(sql`coalesce(error ->> '$.code' in ('result_mismatch', 'foreign_address'), 0)`),
      desc(finished_at),
    )
    .limit(limit)
}
