import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import { backup_settings } from '#dashboard/db/backup-schema.ts'
import type { Database } from '#dashboard/db/client.ts'
import { BY_SERVER, isOf } from '#dashboard/db/of-servers.ts'
import { operations, sites } from '#dashboard/db/schema.ts'
import {
  conditionsAt,
  isCovered,
  lastAt,
  type Moment,
  sinceLast,
  weekBefore,
} from './coverage.queries.ts'
import { isProofCandidate, type ProofState } from './proof-attention.queries.ts'

/** What the sites of one server need. */
export interface BackupPart {
  /** How many are backed up automatically. */
  scheduled: number
  /**
   * Those whose last backup is older than two intervals, or that exist for so long without one: how many,
   * how many of them for more than a week, and the longest without, if there is one.
   */
  late: number
  over_a_week: number
  longest: { id: number; domain: string; since: string; last_at: string | null } | null
  /** Those whose last proof had findings, and those without a proven backup for two intervals. */
  failed: number
  unproven: number
}

/** Of servers that have sites in use. `ever`: of late sites, only those that were backed up once. */
export async function readBackupParts(
  db: Database,
  server_ids: readonly number[],
  { ever, ...moment }: Moment & { ever: boolean },
): Promise<ReadonlyMap<number, BackupPart>> {
  const { every, least, state } = conditionsAt(moment)
  const isScheduled = sql`${every} <> 'off'`
  const isLate = and(
    isScheduled,
    sql`${sinceLast} < ${least}`,
    ever ? sql`${lastAt} is not null` : undefined,
  )
  const number = (which: SQL | undefined) => sql<number>`count(*) filter (where ${which})`
  const proven = (wanted: ProofState) =>
    number(and(isProofCandidate(wanted), sql`${state} = ${wanted}`))
  const rows = await db.read
    .select({
      server_id: sql<number>`${sites.server_id}`,
      scheduled: number(isScheduled),
      late: number(isLate),
      over_a_week: number(and(isLate, sql`${sinceLast} < ${weekBefore(moment.now)}`)),
      since: sql<string | null>`min(case when ${isLate} then ${sinceLast} end)`,
      // SQLite takes these from the row with the minimum.
      id: sql<number>`${sites.id}`,
      domain: sql<string>`${sites.domain}`,
      last_at: lastAt,
      failed: proven('failed'),
      unproven: proven('unproven'),
    })
    .from(BY_SERVER)
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
    .where(and(isCovered, isOf(server_ids)))
    .groupBy(sites.server_id)
  return new Map(
    rows.map(({ server_id, since, id, domain, last_at, ...part }) => {
      const longest = since === null ? null : { id, domain, since, last_at }
      return [server_id, { ...part, longest }]
    }),
  )
}

/** Sites whose last backup failed, newest first; of those without an interval, since `since`. */
export function listFailed(
  db: Database,
  { since, limit, ...moment }: Moment & { since: string; limit: number },
) {
  const interval = conditionsAt(moment).every
  return db.read
    .select({
      id: sites.id,
      server_id: sites.server_id,
      domain: sites.domain,
      operation_id: operations.id,
      error: operations.error,
      finished_at: operations.finished_at,
      scheduled: sql<boolean>`${interval} <> 'off'`.mapWith(Boolean),
      total: sql<number>`count(*) over ()`,
    })
    .from(operations)
    .innerJoin(sites, eq(sites.id, operations.site_id))
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
    .where(
      and(
        isCovered,
        sql`${operations.status} = 'failed' and ${operations.type} = 'backup.create'`,
        sql`(${interval} <> 'off' or ${operations.finished_at} > ${since})`,
        sql`not exists (select 1 from operations as later where later.site_id = ${operations.site_id}
          and later.type = 'backup.create' and later.status <> 'cancelled'
          and later.created_at > ${operations.created_at})`,
      ),
    )
    .orderBy(desc(operations.finished_at), asc(sites.id))
    .limit(limit)
}
