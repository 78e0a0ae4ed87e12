import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { backup_settings, backup_targets, backups } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { operations, servers, sites } from '#dashboard/kernel/db/schema.ts'
import { isVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import { findWords, hasWord } from '#dashboard/kernel/targets/names.queries.ts'
import type {
  BackupCoverage,
  BackupCoverageQuery,
  CoverageState,
} from '#shared/backups/api/backup-coverage.ts'
import type { BackupInterval, ProofInterval } from '#shared/backups/backup-schedule.ts'
import { everyOf, everyTag, targetOf, targetTag } from './effective.queries.ts'
import { INTERVAL_MS } from './schedule.ts'

/** The condition for managed sites in use; a staging site must have an interval of its own. */
export const isCovered = sql`(${sites.status} in ('active', 'suspended') and not ${sites.found}
  and ${sites.ignored_at} is null
  and (not ${sites.staging} or coalesce(${backup_settings.every}, 'off') <> 'off'))`

/** The last backup by the earlier of two clocks: no server makes a backup look newer. */
const lastAt = sql<string | null>`(select min(at, recorded_at) from backups
  where backups.site_id = sites.id and gone_at is null
  order by recorded_at desc, id desc limit 1)`
export const lastId = sql`(select id from backups where backups.site_id = sites.id
  and gone_at is null order by recorded_at desc, id desc limit 1)`
export const provenAt = sql<string | null>`(select min(at, recorded_at) from backup_proofs
  where backup_proofs.site_id = sites.id and proven = 1 order by id desc limit 1)`
const firstAt = sql<string | null>`(select min(recorded_at) from backups
  where backups.site_id = sites.id)`
/** The time of the newest state that a proof has shown to be whole, and that is still in its repository. */
const provenStateAt = sql<string | null>`(select max(min(backups.at, backups.recorded_at))
  from backup_proofs join backups on backups.id = backup_proofs.backup_id
  where backup_proofs.site_id = sites.id and proven = 1 and backups.gone_at is null)`
/** The last proof of the newest backup that has one: a proof of an earlier backup clears nothing. */
const lastProof = sql.raw(`from backup_proofs join backups on backups.id = backup_proofs.backup_id
  where backup_proofs.site_id = sites.id and backups.gone_at is null
  order by backups.recorded_at desc, backups.id desc, backup_proofs.id desc limit 1`)
export const lastProofId = sql`(select backup_proofs.id ${lastProof})`
const lastAttempt = sql`(select id from operations indexed by operations_site
  where operations.site_id = sites.id and operations.type = 'backup.create'
    and operations.status in ('success', 'failed')
  order by operations.created_at desc limit 1)`

/** The time since when a site has had no backup. */
const sinceLast = sql<string>`coalesce(${lastAt}, ${sites.created_at})`
/** The time since when no backup of a site was proven: a new one has time for it. */
const sinceProof = sql<string>`coalesce(${provenStateAt}, ${firstAt}, ${sites.created_at})`
export const weekBefore = (now: Date): string =>
  new Date(now.getTime() - INTERVAL_MS.weekly).toISOString()

/** The facts that decide the state of a site; each is a query of its own for each site. */
export interface CoverageFacts {
  every: SQL<BackupInterval>
  last_at: SQL
  last_proven: SQL
  /** The time from which a proof counts: that of the proven state, or of the first backup. */
  provable_at: SQL
}

/** Returns the SQL of the backup facts of a site in use with its row of backup_settings. */
export const coverageFacts = ({ every }: Pick<CoverageMoment, 'every'>) => ({
  every: everyOf(every),
  last_at: lastAt,
  last_proven: sql<number | null>`(select proven ${lastProof})`,
  provable_at: sql<string | null>`coalesce(${provenStateAt}, ${firstAt})`,
})

/** Returns the conditions of each state; `facts` are given where they are computed already. */
export function conditionsAt(moment: CoverageMoment, facts: CoverageFacts = coverageFacts(moment)) {
  const { proof_every, now } = moment
  const { every, last_at, last_proven, provable_at } = facts
  const ago = (ms: number) => new Date(now.getTime() - ms).toISOString()
  /** A backup from before is late. */
  const least = sql`case ${every} when 'daily' then ${ago(2 * INTERVAL_MS.daily)}
    else ${ago(2 * INTERVAL_MS.weekly)} end`
  const isUnproven =
    proof_every === 'off' ? sql`false` : sql`${provable_at} < ${ago(2 * INTERVAL_MS[proof_every])}`
  const state = sql<CoverageState>`case when ${every} = 'off' then 'off'
    when ${last_at} is null then 'never' when ${last_at} < ${least} then 'late'
    when ${last_proven} = 0 then 'failed' when ${isUnproven} then 'unproven' else 'ok' end`
  const isOverdue = sql`(${state} in ('late', 'never'))`
  return { every, least, state, isOverdue }
}

export interface CoverageMoment {
  every: BackupInterval
  proof_every: ProofInterval
  now: Date
}

/** Lists one page of sites with what their schedule depends on. */
export async function listCoverage(
  db: Database,
  query: BackupCoverageQuery & { visible?: Visible | undefined },
  moment: CoverageMoment,
) {
  const { state, isOverdue } = conditionsAt(moment)
  const { now } = moment
  const words = (await findWords(db, query.q ?? '')).map(
    (word) => sql`(${hasWord(sites.domain, word)} or instr(${sites.user}, ${word.word}))`,
  )
  const matching = and(
    isCovered,
    isVisibleSite(query.visible),
    query.server_id ? eq(sites.server_id, query.server_id) : undefined,
    query.state && inArray(state, query.state),
    ...words,
  )
  return db.read.batch([
    selectScheduled(db, moment)
      .where(matching)
      .orderBy(asc(sites.domain), asc(sites.id))
      .limit(query.per_page)
      .offset((query.page - 1) * query.per_page),
    selectTotal(db, sql`count(*)`).where(matching),
    db.read
      .select({
        state,
        count: sql<number>`count(*)`,
        week: sql<number>`sum(${isOverdue} and ${sinceLast} < ${weekBefore(now)})`,
        unproven_week: sql<number>`sum(${state} <> 'off' and ${sinceProof} < ${weekBefore(now)})`,
      })
      .from(sites)
      .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
      .where(and(isCovered, isVisibleSite(query.visible)))
      .groupBy(state),
  ])
}

const selectTotal = (db: Database, total: SQL) =>
  db.read
    .select({ total: sql<number>`${total}` })
    .from(sites)
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))

function selectScheduled(db: Database, moment: CoverageMoment) {
  const conditions = conditionsAt(moment)
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
      every_tag: everyTag,
      own_target: backup_settings.target_id,
      used_target: targetOf,
      target_tag: targetTag,
      exclude: backup_settings.exclude,
      checked: sql<boolean>`exists (select 1 from backup_targets
        where backup_targets.id = ${targetOf} and checked_at is not null)`.mapWith(Boolean),
      last_at: sql<string | null>`min(${backups.at}, ${backups.recorded_at})`,
      recorded_at: backups.recorded_at,
      proven_at: provenAt,
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

export type ScheduledSite = Awaited<ReturnType<typeof selectScheduled>>[number]

/** Returns a site with what its schedule depends on; the caller, who has the site, throws 404. */
export async function getScheduled(db: Database, id: number, moment: CoverageMoment) {
  const [row] = await selectScheduled(db, moment).where(eq(sites.id, id))
  if (!row) throw new Error(`no site ${id}`)
  return row
}

export function coverageCounts(
  rows: readonly { state: CoverageState; count: number; week: number; unproven_week: number }[],
): BackupCoverage['counts'] {
  const counts = {
    sites: 0,
    ok: 0,
    unproven: 0,
    failed: 0,
    late: 0,
    never: 0,
    off: 0,
    week: 0,
    unproven_week: 0,
  }
  for (const { state, count, week, unproven_week } of rows) {
    counts[state] = count
    counts.sites += count
    counts.week += week
    counts.unproven_week += unproven_week
  }
  return counts
}
