import type { Database } from '#dashboard/kernel/db/client.ts'
import type { KeeperReport } from '#shared/backups/keeper-report.ts'
import { readStates } from './state.queries.ts'

/** Returns the newest report of the keeper of each target; null when none is known. */
export async function reportsOf(
  db: Database,
): Promise<(target: { id: number; keeper_key: string | null }) => KeeperReport | null> {
  const states = await readStates(db)
  return ({ id, keeper_key }) => {
    const state = states[id]
    return state && state.key === keeper_key ? state.report : null
  }
}
