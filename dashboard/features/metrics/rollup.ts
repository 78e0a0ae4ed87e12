import type { Database } from '#dashboard/kernel/db/client.ts'
import { listServerIds } from '#dashboard/kernel/db/targets.ts'
import { chunksOf } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import { MINUTE, MINUTES_KEPT, QUARTER, QUARTERS_KEPT } from './key.ts'
import { averageQuarters, deleteReadings } from './queries.ts'

/** The number of servers in one write: a whole day of them takes tens of milliseconds. */
const SERVERS = 20

/** Computes averages of completed quarters of an hour, and deletes expired readings. */
export async function sweepHistory(db: Database, now: Date): Promise<void> {
  const today = Math.floor(now.getTime() / 1000)
  const over = Math.floor((today - 2 * MINUTE) / QUARTER) * QUARTER
  const ids = await listServerIds(db)
  for (const some of chunksOf(ids, SERVERS)) await averageQuarters(db, some, over)
  const [minutes, quarters] = [today - MINUTES_KEPT, today - QUARTERS_KEPT]
  await deleteReadings(db, { minutes, quarters })
}
