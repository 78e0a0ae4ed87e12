import { expect, test } from 'bun:test'
import {
  type OffSiteState,
  setOffSite,
} from '#dashboard/features/backups/off-site/state.queries.ts'
import { offSiteTrouble } from '#dashboard/features/overview/overview.ts'
import { backup_kits, dashboard_targets } from '#dashboard/kernel/db/backup-schema.ts'
import { ago, setUp } from '#tests/support/dashboard/backup-attention.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const NOW = new Date(ago(0))
const ERROR = 'The target did not answer'

const TARGET = {
  ...{ id: 1, place: { kind: 'local' as const, path: '/mnt/own' }, secret_sealed: '' },
  ...{ checked_at: null, keeper_key: null, created_at: ago(9) },
}

async function reasonOf(
  state: Omit<OffSiteState, 'tried_at'> | undefined,
  { target = true, kit = true } = {},
) {
  await using dashboard = await makeDashboard()
  const { db } = dashboard
  await setUp(dashboard)
  if (target) await db.write((queries) => queries.insert(dashboard_targets).values(TARGET))
  if (!kit) await db.write((queries) => queries.update(backup_kits).set({ confirmed_at: null }))
  if (state) await setOffSite(db, { tried_at: ago(1), ...state })
  const [group] = await offSiteTrouble(db, NOW)
  return group?.items[0]?.reason
}

test.each<[string, Parameters<typeof reasonOf>]>([
  ['nothing was tried', [undefined]],
  ['the last one is of yesterday', [{ saved_at: ago(1), error: null }]],
  ['the last one is of yesterday, and an attempt has failed', [{ saved_at: ago(1), error: ERROR }]],
  ['there is neither a kit nor a target', [undefined, { target: false, kit: false }]],
])('%s: no item', async (_, given) => {
  expect(await reasonOf(...given)).toBeUndefined()
})

test('records that are not saved off the machine are reported, although sites have a target', async () => {
  expect(await reasonOf(undefined, { target: false })).toBe(
    'The records of this dashboard are not backed up to another machine: add a target for them on the page Backups, which no server can read',
  )
})

test('a failing one is reported with its error', async () => {
  const retried =
    'correct the cause, and choose "Back up now" on the page Backups; it is also retried every hour'

  expect(await reasonOf({ saved_at: ago(3), error: ERROR })).toBe(
    `The records of this dashboard were last saved on 2025-12-29 in their target: ${ERROR}: ${retried}`,
  )
  expect(await reasonOf({ saved_at: null, error: ERROR })).toBe(
    `The records of this dashboard have never been saved in their target: ${ERROR}: ${retried}`,
  )
})

test('one of the future, by a clock that was wrong, is reported as an old one', async () => {
  expect(await reasonOf({ saved_at: ago(-60), error: null })).toBe(
    'The records of this dashboard were last saved on 2026-03-02 in their target: choose "Check target" on the page Backups',
  )
})

test('one that is old although none has failed is reported, too', async () => {
  expect(await reasonOf({ saved_at: ago(3), error: null })).toBe(
    'The records of this dashboard were last saved on 2025-12-29 in their target: choose "Check target" on the page Backups',
  )
})
