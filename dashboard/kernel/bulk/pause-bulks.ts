import type { Database } from '#dashboard/kernel/db/client.ts'
import { advance, bulkStatement, listUnfinishedBulks, readState } from './progress.queries.ts'

/** Pauses all that run, and returns their number. What they have started continues. */
export async function pauseBulks(db: Database, reason: string): Promise<number> {
  let paused = 0
  for (const id of await listUnfinishedBulks(db)) {
    const state = await readState(db, id)
    if (state?.bulk.status !== 'running') continue
    const data = { message: `Paused: ${reason}`, status: 'paused' }
    await advance(db, state, [{ event: 'log', data }], (queries) => [
      bulkStatement(queries, id, { status: 'paused', reason }),
    ])
    paused += 1
  }
  return paused
}
