import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { healthAt } from '#dashboard/features/health/queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { isVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import { findWords, hasWord, type SearchWord } from '#dashboard/kernel/targets/names.queries.ts'
import type { FleetSiteIdsQuery } from '#shared/sites/api/site-filters.ts'

const DAY_MS = 24 * 3600_000
const EXPIRING_MS = 14 * DAY_MS

const hasUpdates = sql<number>`(coalesce(updates_plugins, 0) + coalesce(updates_themes, 0) + coalesce(updates_core, 0) > 0)`

const isIgnored = sql`${sites.ignored_at} is not null`
export const isShown = sql`${sites.ignored_at} is null`

/** The filters of a list, and what its caller may see. */
export type SeenBy<Q> = Q & { visible?: Visible | undefined }

export async function conditions(db: Database, query: SeenBy<FleetSiteIdsQuery>, now: Date) {
  const { q, server_id, tag, status, tier, php, wp_version, tls, framework, disk } = query
  return and(
    ...(q ? (await findWords(db, q)).map(matches) : []),
    server_id ? eq(sites.server_id, server_id) : undefined,
    tag ? isTagged(tag) : undefined,
    status && inArray(sites.status, status),
    tier && and(inArray(sites.tier, tier), eq(sites.found, false)),
    php && inArray(sites.php, php),
    wp_version && or(...wp_version.map(isVersion)),
    disk && hasDiskLevel(disk),
    isOrNot(query.errors, hasErrors(now)),
    tls && inArray(sites.tls, tls),
    framework && inArray(sites.framework, framework),
    isOrNot(query.updates, hasUpdates),
    isOrNot(query.expiring, isExpiring(now)),
    query.health && inArray(healthAt(now), query.health),
    isOrNot(query.managed, sql`${sites.managed}`),
    isOrNot(query.ignored ?? false, isIgnored),
    isOrNot(query.staging, sql`${sites.staging}`),
    isOrNot(query.conflict, hasOthers),
    // The last one, which only the sites that the others leave are compared with.
    isVisibleSite(query.visible),
  )
}

export const hasOthers = sql`exists (select 1 from sites as other
  where other.apex = sites.apex and other.server_id <> sites.server_id
    and other.ignored_at is null and other.status <> 'trashed')`

function isOrNot(expected: boolean | undefined, condition: SQL): SQL | undefined {
  return expected === undefined ? undefined : sql`(${condition}) = ${expected ? 1 : 0}`
}

/** Whether the word is part of a name or of the user. */
const matches = (word: SearchWord): SQL | undefined =>
  or(
    hasWord(sites.domain, word),
    sql`instr(${sites.user}, ${word.word})`,
    sql`${sites.id} in (select site_id from site_names where ${hasWord(sql`name`, word)})`,
  )

function isTagged(tag: string): SQL {
  return sql`${sites.server_id} in (
    select servers.id from servers, json_each(servers.tags) as tag where tag.value = ${tag})`
}

/** Whether a version is this one, or one of its maintenance releases. */
const isVersion = (version: string) =>
  sql`(${sites.wp_version} = ${version} or ${sites.wp_version} like ${`${version}.%`})`

/** Whether a site has one of these disk levels, by their index: the list has no level. */
const hasDiskLevel = (levels: readonly string[]) =>
  sql`${sites.id} in (select id from sites indexed by sites_disk where disk_level in ${levels})`

/** Whether a site has had errors since yesterday: a day that has just begun has few requests. */
function hasErrors(now: Date): SQL {
  const yesterday = Math.floor(now.getTime() / DAY_MS - 1) * (DAY_MS / 1000)
  return sql`coalesce((select sum(server_errors) >= 10 and sum(server_errors) * 100 >= sum(requests)
    from site_days where site_id = ${sites.id} and at >= ${yesterday}), 0)`
}

const soonAt = (now: Date) => new Date(now.getTime() + EXPIRING_MS).toISOString()
const hasCertificate = sql`${sites.status} in ('active', 'suspended') and ${sites.tls} <> 'none'
  and ${sites.certificate_expires_at} <> ''`

/** Whether the certificate of a site in use should have been renewed by now. */
export const isExpiring = (now: Date): SQL =>
  sql`${hasCertificate} and ${sites.certificate_expires_at} < ${soonAt(now)}`

/** Returns the first end of a certificate that will be expiring in a group; null without any. */
export const nextExpiring = (now: Date) =>
  sql<string | null>`min(case when ${hasCertificate}
    and ${sites.certificate_expires_at} >= ${soonAt(now)} then ${sites.certificate_expires_at} end)`

/** Returns the last moment in milliseconds at which a certificate with this end is not expiring. */
export const expiringAfter = (end: string): number => Date.parse(end) - EXPIRING_MS
