import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { MAX_CLOCK_DIFFERENCE_MS } from '#shared/kernel/age.ts'

const iso = (ms: number) => new Date(ms).toISOString()

/**
 * Returns the condition that `isDue` of shared/kernel/age.ts is false: less than `every_ms` ago,
 * and not of the future. It is false for null.
 */
export function isYounger(at: SQLWrapper, every_ms: number, now: Date): SQL {
  const time = now.getTime()
  return sql`(${at} is not null and ${at} > ${iso(time - every_ms)} and ${at} <= ${iso(time + MAX_CLOCK_DIFFERENCE_MS)})`
}
