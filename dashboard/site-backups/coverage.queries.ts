import { and, asc, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { backup_settings, backup_targets, backups } from '#dashboard/db/backup-schema.ts'
import type { Database } from '#dashboard/db/client.ts'
import { operations, servers, sites } from '#dashboard/db/schema.ts'
import type {
  BackupCoverage,
  BackupCoverageQuery,
  CoverageState,
  GoneSite,
} from '#shared/api/backup-coverage.ts'
import type { BackupInterval } from '#shared/backup.ts'
import { searchWords } from '#shared/search-words.ts'
import { INTERVAL_MS } from './schedule.ts'

const MOST = 500

/** Sites in use that an agent of ours manages. */
export const isCovered = sql`(${sites.status} in ('active', 'suspended') and not ${sites.found}
  and ${sites.ignored_at} is null)`

const everyOf = (fallback: BackupInterval) =>
  sql<BackupInterval>`coalesce(${backup_settings.every}, ${fallback})`

/** By the earlier of two clocks: no clock of a server makes a backup look newer. */
export const lastAt = sql<string | null>`(select min(at, recorded_at) from backups
  where backups.site_id = sites.id order by id desc limit 1)`
const lastId = sql`(select id from backups where backups.site_id = sites.id order by id desc limit 1)`
const lastAttempt = sql`(select id from operations indexed by operations_site
  where operations.site_id = sites.id and operations.type = 'backup.create'
    and operations.status in ('success', 'failed')
  order by operations.created_at desc limit 1)`

/** Of a site in use with its row of backup_settings. */
export function conditionsAt(fallback: BackupInterval, now: Date) {
  const every = everyOf(fallback)
  const ago = (ms: number) => new Date(now.getTime() - ms).toISOString()
  /** A backup from before is late. */
  const least = sql`case ${every} when 'daily' then ${ago(2 * INTERVAL_MS.daily)}
    else ${ago(2 * INTERVAL_MS.weekly)} end`
  const state = sql<CoverageState>`case when ${every} = 'off' then 'off'
    when ${lastAt} is null then 'never' when ${lastAt} < ${least} then 'late' else 'ok' end`
  return { every, least, state }
}

export interface Moment {
  every: BackupInterval
  now: Date
}

/** One page of sites with what their schedule depends on. */
export function listCoverage(db: Database, query: BackupCoverageQuery, { every, now }: Moment) {
  const { state } = conditionsAt(every, now)
  const words = searchWords(query.q ?? '').map(
    (word) => sql`(instr(${sites.domain}, ${word}) or instr(${sites.user}, ${word}))`,
  )
  const matching = and(
    isCovered,
    query.server_id ? eq(sites.server_id, query.server_id) : undefined,
    query.state && inArray(state, query.state),
    ...words,
  )
  return db.read.batch([
    scheduled(db, { every, now })
      .where(matching)
      .orderBy(asc(sites.domain), asc(sites.id))
      .limit(query.per_page)
      .offset((query.page - 1) * query.per_page),
    ofSites(db, sql`count(*)`).where(matching),
    db.read
      .select({ state, count: sql<number>`count(*)` })
      .from(sites)
      .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
      .where(isCovered)
      .groupBy(state),
  ])
}

const ofSites = (db: Database, total: SQL) =>
  db.read
    .select({ total: sql<number>`${total}` })
    .from(sites)
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))

/** Sites with what their schedule depends on. */
function scheduled(db: Database, { every, now }: Moment) {
  const conditions = conditionsAt(every, now)
  const target = sql`coalesce(${backup_settings.target_id},
    (select id from backup_targets where is_default = 1))`
  return db.read
    .select({
      id: sites.id,
      domain: sites.domain,
      server_id: sites.server_id,
      server: servers.name,
      created_at: sites.created_at,
      covered: sql<boolean>`${isCovered}`.mapWith(Boolean),
      state: conditions.state,
      every: conditions.every,
      own_every: backup_settings.every,
      own_target: backup_settings.target_id,
      checked: sql<boolean>`exists (select 1 from backup_targets
        where backup_targets.id = ${target} and checked_at is not null)`.mapWith(Boolean),
      last_at: backups.at,
      recorded_at: backups.recorded_at,
      bytes: backups.bytes,
      target: backup_targets.name,
      failed_at: sql<string | null>`case when ${operations.status} = 'failed'
        then ${operations.finished_at} end`,
      last_error: sql<string | null>`case when ${operations.status} = 'failed'
        then coalesce(${operations.error} ->> 'message', ${operations.error} ->> 'error') end`,
    })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
    .leftJoin(backups, eq(backups.id, lastId))
    .leftJoin(backup_targets, eq(backup_targets.id, backups.target_id))
    .leftJoin(operations, eq(operations.id, lastAttempt))
}

export type ScheduledSite = Awaited<ReturnType<typeof scheduled>>[number]

/** 404 belongs to the caller, who has the site. */
export async function getScheduled(db: Database, id: number, moment: Moment) {
  const [row] = await scheduled(db, moment).where(eq(sites.id, id))
  if (!row) throw new Error(`no site ${id}`)
  return row
}

/** The backups whose site is gone. */
export function listGone(db: Database): Promise<GoneSite[]> {
  const { domain, target_id } = backups
  const last_at = sql<string>`max(${backups.at})`
  return db.read
    .select({
      domain,
      target: backup_targets.name,
      count: sql<number>`count(*)`,
      last_at,
      // SQLite takes it from the row with the maximum.
      bytes: backups.bytes,
    })
    .from(backups)
    .innerJoin(backup_targets, eq(backup_targets.id, target_id))
    .where(sql`${backups.site_id} is null`)
    .groupBy(domain, target_id)
    .orderBy(desc(last_at), asc(domain))
    .limit(MOST)
}

export function countsOf(
  rows: readonly { state: CoverageState; count: number }[],
): BackupCoverage['counts'] {
  const counts = { sites: 0, ok: 0, late: 0, never: 0, off: 0 }
  for (const { state, count } of rows) {
    counts[state] = count
    counts.sites += count
  }
  return counts
}
