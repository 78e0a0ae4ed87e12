import type { Database } from '#dashboard/kernel/db/client.ts'
import {
  applyBulkChange,
  bulkStatement,
  listUnfinishedBulks,
  readBulkState,
} from './progress.queries.ts'

/** Pauses all running bulk operations, and returns their number. What they started continues. */
export async function pauseBulks(db: Database, reason: string): Promise<number> {
  let paused = 0
  for (const id of await listUnfinishedBulks(db)) {
    const state = await readBulkState(db, id)
    if (state?.bulk.status !== 'running') continue
    const data = { message: `Paused: ${reason}`, status: 'paused' }
    await applyBulkChange(db, state, [{ event: 'log', data }], (queries) => [
      bulkStatement(queries, id, { status: 'paused', reason }),
    ])
    paused += 1
  }
  return paused
}
