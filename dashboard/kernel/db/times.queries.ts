import { sql } from 'drizzle-orm'
import { MAX_CLOCK_DIFFERENCE_MS } from '#shared/kernel/age.ts'
import { type Database, writeAll } from './client.ts'

/** Returns the newest recorded time; null when nothing is recorded. */
export async function findNewestTime(db: Database): Promise<string | null> {
  const [row] = await db.read.all<{ newest: string | null }>(sql`select max(at) as newest from (
    select max(last_sync) as at from servers
    union all select max(created_at) from activities
    union all select max(created_at) from operations
    union all select max(finished_at) from operations)`)
  return row?.newest ?? null
}

/** The columns with the time at which a dashboard recorded a row, which decide what is newest and due. */
const RECORDED = [
  ['backups', 'recorded_at'],
  ['backup_proofs', 'recorded_at'],
  ['operations', 'created_at'],
  ['operations', 'finished_at'],
  ['isolation_checks', 'checked_at'],
  ['isolation_checks', 'failed_at'],
] as const

/**
 * Corrects times of the future, which a wrong clock has recorded, to now: they would count as the
 * newest ones until then. Only for a time that is proven. Returns the number of rows.
 */
export async function correctTimes(db: Database, now: Date): Promise<number> {
  const latest = new Date(now.getTime() + MAX_CLOCK_DIFFERENCE_MS).toISOString()
  let corrected = 0
  for (const [table, column] of RECORDED) {
    const [name, at] = [sql.identifier(table), sql.identifier(column)]
    const ended = table === 'operations' ? sql` and finished_at is not null` : sql``
    const future = sql`${name} where ${at} > ${latest}${ended}`
    const found = await db.read.all(sql`select 1 from ${future} limit 1`)
    if (found.length === 0) continue
    await writeAll(db, (queries) => [
      queries.run(
        sql`update ${name} set ${at} = ${now.toISOString()} where ${at} > ${latest}${ended}`,
      ),
    ])
    corrected += found.length
  }
  return corrected
}
