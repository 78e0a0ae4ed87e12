import { and, asc, desc, eq, gte, lt, sql } from 'drizzle-orm'
import { backup_proofs, backups } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { site_days } from '#dashboard/kernel/db/numbers-schema.ts'
import { site_states, site_versions, version_changes } from '#dashboard/kernel/db/reports-schema.ts'
import type { StateChange } from './uptime.ts'

/** A period of a site in ISO times, from the first up to before the last. */
export interface SitePeriod {
  site_id: number
  from: string
  to: string
}

/** Lists the changes of the state in a period, and the last one before it. */
export function listStates(
  db: Database,
  { site_id, from, to }: SitePeriod,
): Promise<StateChange[]> {
  const before = sql`(select max(at) from site_states as earlier
    where earlier.site_id = ${site_id} and earlier.at <= ${from})`
  return db.read
    .select({ at: site_states.at, state: site_states.state })
    .from(site_states)
    .where(
      and(
        eq(site_states.site_id, site_id),
        gte(site_states.at, sql`coalesce(${before}, ${from})`),
        lt(site_states.at, to),
      ),
    )
    .orderBy(asc(site_states.at))
}

export interface CountedDays {
  days: number
  /** The first day, in seconds since 1970; null without a day. */
  first: number | null
  requests: number
  server_errors: number
  php_requests: number
  php_ms: number
  refused_days: number
  refused_first: number | null
  refused: number
}

export async function countDays(
  db: Database,
  { site_id, from, to }: SitePeriod,
): Promise<CountedDays> {
  const sum = (column: string) => sql.raw(`coalesce(sum(${column}), 0)`)
  const [row] = await db.read.all<CountedDays>(sql`
    select count(*) as days, min(at) as first, ${sum('requests')} as requests,
      ${sum('server_errors')} as server_errors, ${sum('php_requests')} as php_requests,
      ${sum('php_ms')} as php_ms, count(refused) as refused_days,
      min(case when refused is not null then at end) as refused_first, ${sum('refused')} as refused
    from ${site_days} where site_id = ${site_id}
      and at >= ${Date.parse(from) / 1000} and at < ${Date.parse(to) / 1000}`)
  if (!row) throw new Error('the aggregate returned no row')
  return row
}

/** The time at which a backup was made, of the clock of the server unless that was ahead. */
const made_at = sql<string>`min(${backups.at}, ${backups.recorded_at})`

export async function countBackups(db: Database, { site_id, from, to }: SitePeriod) {
  const [made] = await db.read
    .select({ count: sql<number>`count(*)` })
    .from(backups)
    .where(and(eq(backups.site_id, site_id), sql`${made_at} >= ${from}`, sql`${made_at} < ${to}`))
  const { recorded_at, proven } = backup_proofs
  const [proofs] = await db.read
    .select({
      proven: sql<number>`coalesce(sum(${proven} = 1), 0)`,
      not_proven: sql<number>`coalesce(sum(${proven} = 0), 0)`,
    })
    .from(backup_proofs)
    .where(and(eq(backup_proofs.site_id, site_id), gte(recorded_at, from), lt(recorded_at, to)))
  return {
    made: made?.count ?? 0,
    proven: proofs?.proven ?? 0,
    not_proven: proofs?.not_proven ?? 0,
  }
}

/** Returns the time of the last backup before then; null without one. */
export async function findLastBackup(
  db: Database,
  { site_id, to }: Pick<SitePeriod, 'site_id' | 'to'>,
): Promise<string | null> {
  const [row] = await db.read
    .select({ at: sql<string | null>`max(${made_at})` })
    .from(backups)
    .where(and(eq(backups.site_id, site_id), sql`${made_at} < ${to}`))
  return row?.at ?? null
}

/** Returns the last proof of a backup of the site before the end `to`; null if there is none. */
export async function findLastProof(
  db: Database,
  { site_id, to }: Pick<SitePeriod, 'site_id' | 'to'>,
): Promise<{ at: string; proven: boolean } | null> {
  const { recorded_at: at, proven, id } = backup_proofs
  const [row] = await db.read
    .select({ at, proven })
    .from(backup_proofs)
    .where(and(eq(backup_proofs.site_id, site_id), lt(at, to)))
    .orderBy(desc(at), desc(id))
    .limit(1)
  return row ?? null
}

export async function findCompared(
  db: Database,
  site_id: number,
): Promise<{ since: string; scanned_at: string } | undefined> {
  const { since, scanned_at } = site_versions
  const [row] = await db.read
    .select({ since, scanned_at })
    .from(site_versions)
    .where(eq(site_versions.site_id, site_id))
  return row
}

export function listVersionChanges(db: Database, { site_id, from, to }: SitePeriod) {
  const { kind, name, from: before, to: after, at, id } = version_changes
  return db.read
    .select({ kind, name, from: before, to: after, at })
    .from(version_changes)
    .where(and(eq(version_changes.site_id, site_id), gte(at, from), lt(at, to)))
    .orderBy(asc(at), asc(id))
}
