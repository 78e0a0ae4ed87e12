import type { Database } from '#dashboard/kernel/db/client.ts'
import { invalid } from '#shared/kernel/errors.ts'
import {
  DEFAULT_POINTS,
  type MetricsHistory,
  type MetricsQuery,
} from '#shared/metrics/api/metrics.ts'
import { MINUTE, MINUTES_KEPT, QUARTER, QUARTERS_KEPT } from './key.ts'
import { findFirst, type ReadingBucket, type ReadingRange, readBuckets } from './queries.ts'

const HOUR = 3600
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 240, 360, 720, 1440].map((minutes) => minutes * MINUTE)
const MAX_POINTS = 2_000

/** Returns the metrics of a server over time, in columns. Throws 422 on `from`, `to` or `step`. */
export async function readHistory(
  db: Database,
  server_id: number,
  query: MetricsQuery,
  now: Date,
): Promise<MetricsHistory> {
  const today = Math.floor(now.getTime() / 1000)
  const span = rangeOf(query, today)
  // Minutes are kept slightly longer than they are returned, so that none is incomplete.
  const fine = span.from >= today - MINUTES_KEPT + HOUR
  const range = aligned({ server_id, ...span, step: stepOf(span, query.step, fine) })
  const since = await findFirst(db, server_id)
  return { ...inColumns(range, await readBuckets(db, range, !fine)), since }
}

function rangeOf({ from, to }: MetricsQuery, now: number) {
  const end = to === undefined ? now : Date.parse(to) / 1000
  const start = from === undefined ? end - HOUR : Date.parse(from) / 1000
  if (start >= end) throw invalid({ from: ['Must be before to'] })
  if (start < now - QUARTERS_KEPT) throw invalid({ from: ['Must be within the last 32 days'] })
  if (end > now + 24 * HOUR) throw invalid({ to: ['Must not be in the future'] })
  return { from: start, to: end }
}

function stepOf({ from, to }: { from: number; to: number }, requested = 0, fine = true): number {
  const least = fine ? MINUTE : QUARTER
  if (requested === 0) {
    const usual = STEPS.find((step) => step >= least && (to - from) / step <= DEFAULT_POINTS)
    return usual ?? 24 * HOUR
  }
  const step = Math.max(requested, least)
  if ((to - from) / step <= MAX_POINTS) return step
  throw invalid({
    step: [`Must be at least ${Math.ceil((to - from) / MAX_POINTS)} for this range`],
  })
}

function aligned({ server_id, from, to, step }: ReadingRange): ReadingRange {
  const whole = { from: Math.floor(from / step) * step, to: Math.ceil(to / step) * step }
  return { server_id, ...whole, step }
}

function inColumns({ from, to, step }: ReadingRange, buckets: readonly ReadingBucket[]) {
  const at = Array.from({ length: (to - from) / step }, (_, place) => from + place * step)
  const found = new Map(buckets.map((row) => [row.place, row]))
  const column = (name: keyof ReadingBucket, precision = 1) =>
    at.map((_, place) => {
      const value = found.get(place)?.[name]
      return value === undefined ? null : Math.round(value * precision) / precision
    })
  return {
    from: new Date(from * 1000).toISOString(),
    to: new Date(to * 1000).toISOString(),
    step,
    at,
    cpu: column('cpu', 10),
    cpu_max: column('cpu_max', 10),
    ram_used: column('ram_used'),
    ram_total: column('ram_total'),
    disk_used: column('disk_used'),
    disk_total: column('disk_total'),
    load1: column('load1', 100),
    load5: column('load5', 100),
    load15: column('load15', 100),
  }
}
