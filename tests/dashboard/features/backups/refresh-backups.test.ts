import { expect, test } from 'bun:test'
import type { ListedBackups } from '#shared/backups/backup-find.ts'
import {
  addSite,
  backupAgent,
  checkedTarget,
  confirmKit,
  PASSWORD,
  SECRET,
  streamed,
} from '#tests/support/dashboard/backups.ts'
import { ending, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { passwordIdOf } from '#tests/support/repository-password.ts'

const [FIRST, SECOND, OTHER] = ['1', '2', 'a'].map((each) => each.repeat(64)) as [
  ...[string, string, string],
]

/** A site with two backups, and what its repository has. */
async function prepared() {
  const { agent } = backupAgent()
  const dashboard = await makeDashboard()
  const server_id = await dashboard.addServer(agent)
  const at = await addSite(dashboard, server_id)
  await confirmKit(dashboard)
  await checkedTarget(dashboard, server_id)
  const asked: Record<string, unknown>[] = []
  const list: ListedBackups = {
    ...{ password: 0, domain: 'shop.example', tables: 3, excluded: ['wp-content/old'] },
    backups: [],
    next: null,
  }
  agent.answers.set('/backups/list', async (request) => {
    asked.push(await request.json())
    return Response.json(list)
  })
  const shown = async () => (await dashboard.call('GET', at)).body
  const refresh = () => dashboard.call('POST', `${at}/refresh`)
  const made = { agent, dashboard, server_id, at, asked, list, shown, refresh }
  return { ...made, ...ending(dashboard, agent) }
}

const stored = (id: string) => ({
  ...{ id, at: '2025-12-01T00:00:00.000Z', files: 5, bytes: 700, stored: 20, seconds: 3 },
})

test('a backup that is no longer stored is marked, until it is stored again', async () => {
  await using all = await prepared()
  await streamed(all.dashboard, all.at)
  await streamed(all.dashboard, all.at)
  all.list.backups = [stored(SECOND)]

  const { status, body } = await all.refresh()
  const without = await all.shown()
  all.list.backups = [SECOND, FIRST].map(stored)
  await all.refresh()
  const again = await all.shown()
  const { user } = (await all.dashboard.call('GET', '/api/fleet/sites')).body.sites[0]

  expect([status, body]).toEqual([200, { gone: 1, found: 0 }])
  expect(all.asked[0]).toEqual({
    target: expect.objectContaining({ secret: SECRET }),
    ...{ repository: user, password_ids: [passwordIdOf(PASSWORD)], passwords: [] },
  })
  expect(without.gone).toEqual([
    {
      ...{ id: 1, at: '2026-01-01T00:00:00.000Z', target: 'Backup server' },
      gone_at: expect.any(String),
    },
  ])
  const counts = [without, again].map(({ backups, gone }) => [backups.length, gone.length])
  expect(counts).toEqual([
    [1, 1],
    [2, 0],
  ])
})

test('a backup without a record is added once, can be restored, and is not the newest one', async () => {
  await using all = await prepared()
  await streamed(all.dashboard, all.at)
  all.list.backups = [FIRST, OTHER].map(stored)

  const first = await all.refresh()
  await all.refresh()

  expect(first.body).toEqual({ gone: 0, found: 1 })
  const { backups } = await all.shown()
  expect(backups.map(({ at, files }: { at: string; files: number }) => [at, files])).toEqual([
    ['2026-01-01T00:00:00.000Z', 10],
    ['2025-12-01T00:00:00.000Z', 5],
  ])
  const restored = await streamed(all.dashboard, `${all.at}/restore`, {
    ...{ backup_id: backups[1].id, parts: { files: true, database: true } },
  })
  expect(restored.text).toContain('event: complete')
  const { body } = await all.dashboard.call('GET', '/api/fleet/backups')
  expect(body.sites[0].bytes).toBe(2000)
})

test('a backup that was found before its operation ended is recorded once', async () => {
  await using all = await prepared()
  await streamed(all.dashboard, all.at)
  all.list.backups = [SECOND, FIRST].map(stored)
  await all.refresh()

  await streamed(all.dashboard, all.at)

  const { backups } = await all.shown()
  expect(backups.map(({ files }: { files: number }) => files)).toEqual([10, 10])
})

test('a site without a repository is refused', async () => {
  await using all = await prepared()

  const { status, body } = await all.refresh()

  expect([status, body.message]).toEqual([409, 'shop.example has no repository: back it up first'])
})

test('a deleted site offers all its backups', async () => {
  await using all = await prepared()
  await streamed(all.dashboard, all.at)
  await streamed(all.dashboard, all.at)
  await all.dashboard.db.write((queries) => queries.run('update backups set site_id = null'))

  const gone = (domain: string) =>
    all.dashboard.call('GET', `/api/fleet/backups/gone?domain=${domain}`)

  expect((await gone('shop.example')).body).toEqual({
    backups: [2, 1].map((id) => ({
      ...{ id, at: `2026-01-0${id}T00:00:00.000Z`, bytes: 2000, target: 'Backup server' },
    })),
  })
  expect((await gone('other.example')).body).toEqual({ backups: [] })
})

test('the list of a deleted site is refreshed by any server, and stays without a site', async () => {
  await using all = await prepared()
  await streamed(all.dashboard, all.at)
  await streamed(all.dashboard, all.at)
  await all.dashboard.db.write((queries) => queries.run('update backups set site_id = null'))
  all.list.backups = [SECOND, OTHER].map(stored)
  const refresh = (domain: string) =>
    all.dashboard.call('POST', `/api/servers/${all.server_id}/backup-refresh`, { domain })

  const refreshed = await refresh('shop.example')
  const other = await refresh('other.example')

  expect([refreshed.status, refreshed.body]).toEqual([200, { gone: 1, found: 1 }])
  expect([other.status, other.body.message]).toEqual([
    409,
    'No backup of a deleted site other.example is recorded',
  ])
  const gone = await all.dashboard.call('GET', '/api/fleet/backups/gone?domain=shop.example')
  // A name does not make the repository one of the present site.
  expect(gone.body.backups.map(({ at }: { at: string }) => at)).toEqual([
    ...['2026-01-02T00:00:00.000Z', '2025-12-01T00:00:00.000Z'],
  ])
  const { body } = await all.dashboard.call('GET', '/api/activity?type=backup.refresh')
  expect(body.activities[0]).toMatchObject({ domain: 'shop.example', status: 'success' })
})
