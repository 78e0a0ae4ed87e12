import { and, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { SITES_BY_SERVER } from '#dashboard/kernel/db/server-sites.ts'
import type { BackupInterval, ProofInterval } from '#shared/backups/backup-schedule.ts'
import {
  type CoverageMoment,
  conditionsAt,
  coverageFacts,
  isCovered,
  weekBefore,
} from './coverage.queries.ts'
import { INTERVAL_MS } from './schedule.ts'

/** The part of one server in the counts of backups. */
export interface BackupPart {
  scheduled: number
  /**
   * The sites whose last backup is older than two intervals, or that exist for so long without one:
   * their number, how many of them are late for more than a week, and the one without a backup for
   * the longest time.
   */
  late: number
  over_a_week: number
  longest: { id: number; domain: string; since: string; last_at: string | null } | null
  failed: number
  unproven: number
  /** The time in milliseconds until which no time changes anything of it. */
  valid_until: number
}

type PartRow = Omit<BackupPart, 'longest' | 'valid_until'> & {
  server_id: number
  longest: string | null
} & Record<AgeColumn, string | null>

const FACT_COLUMNS = {
  every: sql<BackupInterval>`fact.every`,
  last_at: sql`fact.last_at`,
  last_proven: sql`fact.last_proven`,
  provable_at: sql`fact.provable_at`,
}
const since = sql`coalesce(fact.last_at, fact.created_at)`

type AgeColumn = 'daily' | 'weekly' | 'week' | 'proof'

/** The ages after which a site is late, late for more than a week, or without a proven backup. */
const agesFor = (proof_every: ProofInterval) => ({
  daily: { from: sql`case fact.every when 'daily' then ${since} end`, ms: 2 * INTERVAL_MS.daily },
  weekly: {
    from: sql`case fact.every when 'weekly' then ${since} end`,
    ms: 2 * INTERVAL_MS.weekly,
  },
  week: {
    from: sql`case fact.every when 'off' then null else ${since} end`,
    ms: INTERVAL_MS.weekly,
  },
  proof: {
    from: sql`fact.provable_at`,
    ms: proof_every === 'off' ? Number.POSITIVE_INFINITY : 2 * INTERVAL_MS[proof_every],
  },
})

/**
 * Reads the parts of the servers of the matching sites in use. With `ever`, late sites are only those that
 * were backed up once. The facts of each site are computed once
 * (sqlite.org/lang_with.html#mathint), which takes a third of the time.
 */
export async function readBackupParts(
  db: Database,
  which: SQL,
  { ever, ...moment }: CoverageMoment & { ever: boolean },
): Promise<ReadonlyMap<number, BackupPart>> {
  const { every, last_at, last_proven, provable_at } = coverageFacts(moment)
  const { least, state } = conditionsAt(moment, FACT_COLUMNS)
  const ages = agesFor(moment.proof_every)
  const isScheduled = sql`fact.every <> 'off'`
  const isLate = and(
    isScheduled,
    sql`${since} < ${least}`,
    ever ? sql`fact.last_at is not null` : undefined,
  )
  const number = (which: SQL | undefined) => sql`count(*) filter (where ${which})`
  /** The first of those that are younger. */
  const soonest = ({ from, ms }: { from: SQL; ms: number }) =>
    Number.isFinite(ms)
      ? sql`min(case when ${from} >= ${new Date(moment.now.getTime() - ms).toISOString()} then ${from} end)`
      : sql`null`
  const rows = await db.read.all<PartRow>(sql`
    with fact as materialized (
      select sites.server_id, sites.id, sites.domain, sites.created_at, ${every} as every,
        ${last_at} as last_at, ${last_proven} as last_proven, ${provable_at} as provable_at
      from ${SITES_BY_SERVER} left join backup_settings on backup_settings.site_id = sites.id
      where ${and(isCovered, which)})
    select fact.server_id, ${number(isScheduled)} as scheduled, ${number(isLate)} as late,
      ${number(and(isLate, sql`${since} < ${weekBefore(moment.now)}`))} as over_a_week,
      -- The order of these texts is that of the times that they start with.
      min(case when ${isLate} then json_array(${since}, fact.id, fact.domain, fact.last_at) end) as longest,
      ${number(sql`${state} = 'failed'`)} as failed, ${number(sql`${state} = 'unproven'`)} as unproven,
      ${soonest(ages.daily)} as daily, ${soonest(ages.weekly)} as weekly,
      ${soonest(ages.week)} as week, ${soonest(ages.proof)} as proof
    from fact group by fact.server_id`)
  return new Map(rows.map((row) => [row.server_id, partOf(row, ages)]))
}

function partOf(row: PartRow, ages: ReturnType<typeof agesFor>): BackupPart {
  const { server_id: _, longest, daily, weekly, week, proof, ...numbers } = row
  const firsts = Object.entries({ daily, weekly, week, proof })
  const ends = firsts.flatMap(([name, first]) =>
    first === null ? [] : [Date.parse(first) + ages[name as AgeColumn].ms],
  )
  return { ...numbers, longest: longestOf(longest), valid_until: Math.min(...ends) }
}

function longestOf(text: string | null): BackupPart['longest'] {
  if (text === null) return null
  const [since, id, domain, last_at] = JSON.parse(text)
  return { id, domain, since, last_at }
}
