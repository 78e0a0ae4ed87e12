import { expect, test } from 'bun:test'
import { saveOffSite } from '#dashboard/features/backups/off-site/save-off-site.ts'
import { findOffSite, setOffSite } from '#dashboard/features/backups/off-site/state.queries.ts'
import { dashboard_targets } from '#dashboard/kernel/db/backup-schema.ts'
import { setUp } from '#tests/support/dashboard/backup-attention.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const HOUR_MS = 3600_000

/** Whether a backup is attempted; its target cannot be opened. */
async function isTried(state: { tried: number; saved: number | null; error?: string }) {
  const clock = new HeldClock()
  await using dashboard = await makeDashboard({ clock })
  const { db, deps, folder } = dashboard
  await setUp(dashboard)
  const target = {
    ...{ id: 1, place: { kind: 'local' as const, path: '/mnt/own' }, secret_sealed: 'none' },
    ...{ checked_at: null, keeper_key: null, created_at: clock.now().toISOString() },
  }
  await db.write((queries) => queries.insert(dashboard_targets).values(target))
  const at = (hours: number) => new Date(clock.now().getTime() + hours * HOUR_MS).toISOString()
  const tried_at = at(state.tried)
  const saved_at = state.saved === null ? null : at(state.saved)
  await setOffSite(db, { tried_at, saved_at, error: state.error ?? null })

  const backUp = () => Promise.reject(new Error('not here'))
  await saveOffSite({ ...deps, data_dir: folder, stall_ms: 1000, backUp })

  return (await findOffSite(db))?.tried_at !== tried_at
}

test.each([
  ['an hour after one', { tried: -1, saved: -1 }, false],
  ['a day after one', { tried: -24, saved: -24 }, true],
  ['ten minutes after a failure', { tried: -0.1, saved: -24, error: 'x' }, false],
  ['an hour after a failure', { tried: -1, saved: -24, error: 'x' }, true],
  ['after one of the future, by a clock that was wrong', { tried: 1440, saved: 1440 }, true],
  ['after a failure of the future', { tried: 1440, saved: null, error: 'x' }, true],
])('the records are saved again %s', async (_, state, expected) => {
  expect(await isTried(state)).toBe(expected)
})
