import type { Database } from '#dashboard/db/client.ts'
import { listServerIds } from '#dashboard/db/targets.ts'
import { MINUTE, MINUTES_KEPT, QUARTER, QUARTERS_KEPT } from './key.ts'
import { averageQuarters, deleteReadings } from './queries.ts'

/** In one write: a day of them, when nothing was averaged for long, takes tens of milliseconds. */
const SERVERS = 20

/** Makes averages of the quarters that are over, late answers included, and deletes what is past its age. */
export async function sweepHistory(db: Database, now: Date): Promise<void> {
  const today = Math.floor(now.getTime() / 1000)
  const over = Math.floor((today - 2 * MINUTE) / QUARTER) * QUARTER
  const ids = await listServerIds(db)
  for (let from = 0; from < ids.length; from += SERVERS)
    await averageQuarters(db, ids.slice(from, from + SERVERS), over)
  const [minutes, quarters] = [today - MINUTES_KEPT, today - QUARTERS_KEPT]
  await deleteReadings(db, { minutes, quarters })
}
