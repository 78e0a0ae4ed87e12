import { expect, test } from 'bun:test'
import { operations } from '#dashboard/db/schema.ts'
import { backUpDue } from '#dashboard/site-backups/back-up-due.ts'
import { addSite, fleet, HOUR_MS, home } from '#tests/support/dashboard/backup-fleet.ts'
import { ended } from '#tests/support/dashboard/operations.ts'

/** Backups that run at once on servers with three due sites each: one without and one with a tag. */
async function running(settings: Record<string, number>, per_server: number | null = null) {
  await using all = await fleet()
  const { dashboard, agent, forward, server_id } = all
  const hold = Promise.withResolvers<void>()
  const made = agent.works.get('backup.create')
  agent.works.set('backup.create', async function* (params) {
    yield 'Saving the files'
    await hold.promise
    if (!made) throw new Error('the agent makes no backup')
    return yield* made(params)
  })
  const tagged = await home(dashboard, agent)
  await dashboard.call('PATCH', `/api/servers/${tagged}`, { tags: ['big'] })
  const rules = [{ tag: 'big', every: 'default', target_id: null, per_server }]
  const { version } = (await dashboard.call('GET', '/api/backup-rules')).body
  await dashboard.call('PUT', '/api/backup-rules', { rules, version })
  for (const [key, value] of Object.entries(settings)) {
    await dashboard.call('PUT', `/api/settings/${key}`, { value })
  }
  for (let site = 0; site < 3; site++) {
    for (const id of [server_id, tagged]) await addSite(dashboard, id)
  }
  forward(16.5 * HOUR_MS)
  await backUpDue(dashboard.deps)
  await backUpDue(dashboard.deps)

  const rows = await dashboard.db.read.select().from(operations)
  const started = rows.filter(({ type }) => type === 'backup.create')
  hold.resolve()
  await dashboard.signIn()
  for (const { id } of started) await ended(dashboard, id)
  return [server_id, tagged].map((id) => started.filter((row) => row.server_id === id).length)
}

test.each<[string, Parameters<typeof running>, number[]]>([
  ['one on each server without a setting', [{}], [1, 1]],
  ['as many as the setting says', [{ backups_per_server: 2 }], [2, 2]],
  ['as many as the rule of a tag of the server says', [{}, 3], [1, 3]],
  ['fewer on a server with such a tag', [{ backups_per_server: 3 }, 1], [3, 1]],
])('automatic backups run at the same time: %s', async (_, given, expected) => {
  expect(await running(...given)).toEqual(expected)
})

test('automatic backups of all servers together are limited by their own setting', async () => {
  const [one = 0, other = 0] = await running({ backups_per_server: 3, backups_at_once: 5 })

  expect(one + other).toBe(5)
})
