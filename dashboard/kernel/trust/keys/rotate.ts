import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import { createSigningKey, findSigningKey, hubKeyOf } from '#dashboard/kernel/trust/signing-key.ts'
import type { KeyView } from '#shared/servers/api/keys.ts'
import { countKeys, deleteUnneeded, listEnrolledIds, replaceKey } from './queries.ts'

export interface RotateKeyDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  sealer: Sealer
  /** Requests the backups of the records: off-site/request.ts, in a layer below. */
  requestBackups: () => Promise<void>
  scheduler: { add(server_id: number): void }
}

/** The time for which agents accept the previous key. */
const OVERLAP_MS = 24 * 3600_000

/** Creates a new key. Each agent gets it at its next sync; until then its known key signs. */
export async function rotateKey(deps: RotateKeyDeps, user_id: number): Promise<void> {
  await replaceKeys(deps, user_id)
  for (const id of await listEnrolledIds(deps.db)) deps.scheduler.add(id)
}

/**
 * Replaces the key without a sync; `user_id` is null for the dashboard itself. Both backups of the
 * records are requested: in a day, agents refuse what signs with the key of an earlier one.
 */
export async function replaceKeys(
  deps: Omit<RotateKeyDeps, 'scheduler'>,
  user_id: number | null,
): Promise<void> {
  const { db, clock } = deps
  const entry = entryOf(clock, { type: 'key.rotate', user_id })
  await replaceKey(db, createSigningKey(deps), timestamp(clock, OVERLAP_MS), entry)
  await deleteUnneeded(db, timestamp(clock))
  await deps.requestBackups()
}

/** Lists the keys, without rows that are no keys of this dashboard. */
export async function listKeyViews({
  db,
  clock,
  sealer,
}: Pick<RotateKeyDeps, 'db' | 'clock' | 'sealer'>): Promise<KeyView[]> {
  const now = clock.now().getTime()
  const rows = await countKeys(db)
  const own = rows.flatMap((row) => {
    const key = findSigningKey(sealer, row)
    return key ? [{ ...row, public_key: key.public_key }] : []
  })
  return own.map((key) => ({
    kid: key.kid,
    hub_key: hubKeyOf(key),
    state: stateOf(key.until, timestamp(clock)),
    created_at: key.created_at,
    age: Math.floor((now - Date.parse(key.created_at)) / 1000),
    until: key.until,
    agents: key.agents,
  }))
}

function stateOf(until: string | null, now: string): KeyView['state'] {
  if (until === null) return 'current'
  return until > now ? 'leaving' : 'retired'
}
