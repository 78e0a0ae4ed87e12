import { expect, test } from 'bun:test'
import { backupAgent, checkedTarget, confirmKit } from '#tests/support/dashboard/backups.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

async function addSite(dashboard: Dashboard, server_id: number): Promise<string> {
  const at = `/api/servers/${server_id}/sites`
  const id = await dashboard.addSite(server_id, { domain: 'shop.example', php: '8.2' })
  return `${at}/${id}/backups`
}

/** The snapshots that the agent of the tests makes. */
const [first, second, third, fourth] = ['1', '2', '3', '4'].map((digit) => digit.repeat(64))
const all = (...ids: (string | undefined)[]) => ids.filter((id) => id !== undefined)

test('backups that the keeper forgot are not listed, and cannot be restored', async () => {
  const { agent, list } = backupAgent()
  await using _ = agent
  await using dashboard = await makeDashboard()
  const server_id = await dashboard.addServer(agent)
  const at = await addSite(dashboard, server_id)
  await confirmKit(dashboard)
  const target_id = await checkedTarget(dashboard, server_id)
  const save = async (present: string[]) => {
    list.present = present
    await (await dashboard.send('POST', at, {})).text()
  }
  const listed = async () =>
    (await dashboard.call('GET', at)).body.backups.map(({ id }: { id: number }) => id)
  const missing = async () =>
    (await dashboard.call('GET', '/api/fleet')).body.attention
      .filter(({ kind }: { kind: string }) => kind === 'backup_missing')
      .flatMap(({ items }: { items: { severity: string; reason: string }[] }) => items)

  await save(all(first))
  await save(all(first, second))
  const [, old] = await listed()
  await save(all(second, third))

  expect(await listed()).toEqual([old + 2, old + 1])
  expect(await missing()).toEqual([])
  const restore = { backup_id: old, parts: { files: true, database: true } }
  const refused = await dashboard.call('POST', `${at}/restore`, restore)
  expect([refused.status, refused.body.message]).toEqual([
    409,
    'The backup is not in Backup server any more: choose a later one',
  ])
  const targets = (await dashboard.call('GET', '/api/backup-targets')).body.targets
  expect(targets).toMatchObject([{ id: target_id, backups: 2 }])

  await save(all(fourth))
  expect(await missing()).toEqual([
    expect.objectContaining({
      severity: 'critical',
      reason:
        'The backup of 2026-01-03 was in Backup server no longer when the next one was made: find out who deletes backups there, and check the server',
    }),
  ])

  await save(all(first, second, third, fourth, '5'.repeat(64)))
  expect(await listed()).toHaveLength(5)
  expect(await missing()).toEqual([])
})
