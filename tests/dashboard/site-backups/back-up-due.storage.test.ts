import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { operations } from '#dashboard/db/schema.ts'
import { backUpDue } from '#dashboard/site-backups/back-up-due.ts'
import { addSite, fleet, HOUR_MS } from '#tests/support/dashboard/backup-fleet.ts'
import type { Dashboard } from '#tests/support/dashboard/dashboard.ts'
import { ended } from '#tests/support/dashboard/operations.ts'
import { DAY_MS } from '#tests/support/dashboard/trash.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const begun = ({ db }: Dashboard) =>
  db.read.select().from(operations).where(eq(operations.type, 'backup.create'))
const finish = async (dashboard: Dashboard) => {
  for (const { id } of await begun(dashboard)) await ended(dashboard, id)
}
const sweep = (dashboard: Dashboard) => backUpDue(dashboard.deps)

test('a backup is tried once an hour while the storage is unreachable, and caught up after that', async () => {
  await using all = await fleet()
  const { dashboard, agent, forward, server_id } = all
  const saves = agent.works.get('backup.create')
  const message = 'restic: dial tcp 192.0.2.1:8000: connect: connection refused'
  // biome-ignore lint/correctness/useYield: a work without messages
  agent.works.set('backup.create', async function* () {
    throw new Refused({ error: 'Internal error', message })
  })
  await addSite(dashboard, server_id)
  forward(2 * DAY_MS)
  await dashboard.signIn()
  const shown = async () => {
    const { sites } = (await dashboard.call('GET', '/api/fleet/backups')).body
    const [{ state, last_error }] = sites
    return { state, last_error }
  }

  for (let minutes = 0; minutes < 300; minutes += 10) {
    await sweep(dashboard)
    await finish(dashboard)
    forward(10 * 60_000)
  }

  expect(await begun(dashboard)).toHaveLength(5)
  expect(await shown()).toEqual({ state: 'never', last_error: message })
  if (saves) agent.works.set('backup.create', saves)
  forward(HOUR_MS)
  await sweep(dashboard)
  await finish(dashboard)
  expect(await shown()).toEqual({ state: 'ok', last_error: null })
  forward(HOUR_MS)
  await sweep(dashboard)
  expect(await begun(dashboard)).toHaveLength(6)
})
