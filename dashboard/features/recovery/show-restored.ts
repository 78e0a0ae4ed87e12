import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { KEY_REFUSED } from '#dashboard/kernel/agents/agent-errors.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { listKeyViews } from '#dashboard/kernel/trust/keys/rotate.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import type { Restored, RestoredOperation } from '#shared/recovery/api/restored.ts'
import {
  deleteRestored,
  findRestored,
  listReadings,
  listRestoredServers,
  listRestoredSites,
  type Reading,
} from './queries.ts'

export interface RestoredDeps extends Pick<CommonDeps, 'db' | 'clock'> {
  sealer: Sealer
}

/** Returns what the servers know since a restore; null when there is nothing to look at. */
export async function showRestored(deps: RestoredDeps): Promise<Restored | null> {
  const { db } = deps
  const restored = await findRestored(db)
  if (!restored) return null
  const readings = await listReadings(db)
  const rows = await listRestoredServers(db)
  const keys = await listKeyViews(deps)
  const hub_key = keys.find(({ state }) => state === 'current')?.hub_key ?? ''
  const sites = await listRestoredSites(db, restored.restored_at)
  const known = [...readings].flatMap(([id, reading]) => (reading ? [{ id, ...reading }] : []))
  return {
    ...restored,
    servers: rows.map((row) => serverOf(row, readings.get(row.id), hub_key)),
    sites: sites.rows.map(({ found, status, ...site }) => ({
      ...site,
      change: changeOf(found, status),
    })),
    sites_total: sites.total,
    operations: known.flatMap(({ id, operations }) => operationsOf(id, operations)),
    operations_total: known.reduce((sum, { total }) => sum + total, 0),
  }
}

/** Confirms that the findings were seen: nothing is shown any more. */
export const confirmRestored = ({ db, clock }: RestoredDeps, user_id: number): Promise<void> =>
  deleteRestored(db, entryOf(clock, { type: 'records.confirm', user_id }))

function serverOf(
  { id: server_id, name, reason }: { id: number; name: string; reason: string },
  reading: Reading | undefined,
  hub_key: string,
): Restored['servers'][number] {
  if (reason === KEY_REFUSED) {
    const command = `hosting-agent trust --hub-key ${hub_key}`
    return { server_id, name, state: 'key_refused', reason, command }
  }
  const state = reading === undefined ? 'waiting' : reading === null ? 'too_old' : 'read'
  return { server_id, name, state, reason: state === 'waiting' ? reason : '', command: null }
}

function changeOf(found: boolean, status: string): Restored['sites'][number]['change'] {
  if (status === 'missing' || status === 'trashed') return status
  return found ? 'discovered' : 'adopted'
}

const operationsOf = (
  server_id: number,
  operations: NonNullable<Reading>['operations'],
): RestoredOperation[] =>
  operations.map(({ created_at, ...operation }) => ({
    ...operation,
    server_id,
    at: new Date(created_at).toISOString(),
  }))
