import { expect, test } from 'bun:test'
import { backup_targets } from '#dashboard/db/backup-schema.ts'
import { type OffSiteState, setOffSite } from '#dashboard/off-site/state.queries.ts'
import { offSiteTrouble } from '#dashboard/overview/attention/off-site.ts'
import { ago, setUp } from '#tests/support/dashboard/backup-attention.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const NOW = new Date(ago(0))
const ERROR = 'The target did not answer'

async function reasonOf(state: Omit<OffSiteState, 'tried_at'> | undefined, { target = true } = {}) {
  await using dashboard = await makeDashboard()
  await setUp(dashboard)
  if (!target) await dashboard.db.write((queries) => queries.delete(backup_targets))
  if (state) await setOffSite(dashboard.db, { tried_at: ago(1), ...state })
  const [group] = await offSiteTrouble(dashboard.db, NOW)
  return group?.items[0]?.reason
}

test.each<[string, Parameters<typeof reasonOf>]>([
  ['nothing was tried', [undefined]],
  ['the last one is of yesterday', [{ saved_at: ago(1), error: null }]],
  ['the last one is of yesterday, and an attempt has failed', [{ saved_at: ago(1), error: ERROR }]],
  [
    'it is old, and the targets were removed',
    [{ saved_at: ago(9), error: null }, { target: false }],
  ],
])('%s: no item', async (_, given) => {
  expect(await reasonOf(...given)).toBeUndefined()
})

test('a failing one is reported with its error', async () => {
  const retried =
    'correct the cause, and choose "Back up now" on the page Backups; it is also retried every hour'

  expect(await reasonOf({ saved_at: ago(3), error: ERROR })).toBe(
    `The records of this dashboard were last saved on 2025-12-29 in the backup target: ${ERROR}: ${retried}`,
  )
  expect(await reasonOf({ saved_at: null, error: ERROR })).toBe(
    `The records of this dashboard have never been saved in the backup target: ${ERROR}: ${retried}`,
  )
})

test('one that is old although none has failed is reported, too', async () => {
  expect(await reasonOf({ saved_at: ago(3), error: null })).toBe(
    'The records of this dashboard were last saved on 2025-12-29 in the backup target: check the default target on the page Backups',
  )
})
