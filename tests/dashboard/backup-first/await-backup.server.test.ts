import { describe, expect, test } from 'bun:test'
import { broken, prepared } from '#tests/support/dashboard/backup-first.ts'
import { streamed } from '#tests/support/dashboard/backups.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'

/** A server with two sites, and what its agent was given. */
async function updatable() {
  const all = await prepared()
  const { agent, given, dashboard, server_id } = all
  const at = `/api/servers/${server_id}`
  const input = { domain: 'blog.example', php: '8.2' }
  const { body } = await dashboard.call('POST', `${at}/sites`, input)
  await until(async () => {
    const found = await dashboard.call('GET', `/api/fleet/sites/${body.site.id}`)
    return found.body.site.status === 'active'
  })
  agent.works.set('server.update', async function* (params) {
    given.push({ 'server.update': params })
    yield 'Installing 2 packages'
    return { status: 'ok', packages: [], restarted: [], reboot_needed: false }
  })
  given.length = 0
  const install = (body: object) => streamed(dashboard, `${at}/update`, body)
  const done = () =>
    given.map((each) => each['server.update'] ?? String(each['backup.create']?.domain))
  const plan = (body: object) => dashboard.call('POST', `${at}/update`, { ...body, dry_run: true })
  return { ...all, install, done, plan }
}
const ALL = { scope: 'all', restart_database: false }

describe('all updates of a server', () => {
  test('wait for a backup of each site, and say so', async () => {
    await using all = await updatable()

    const { text } = await all.install({ scope: 'all' })

    expect(all.done()).toEqual(['shop.example', 'blog.example', ALL])
    expect(text.match(/"message":"[^"]*"/g)).toEqual([
      expect.stringMatching(/"Backing up the sites of \S+ before they are changed"/),
      '"message":"Installing 2 packages"',
    ])
    await all.install({ scope: 'all' })
    expect(all.done()).toEqual(['shop.example', 'blog.example', ALL, ALL])
  })

  test('need no backup of a site that has one of the last hour, or that wants none', async () => {
    await using all = await updatable()
    await streamed(all.dashboard, all.backups)
    all.given.length = 0

    await all.install({ scope: 'all' })

    expect(all.done()).toEqual(['blog.example', ALL])
  })

  test('are not installed when a backup fails, and name its site', async () => {
    await using all = await updatable()
    broken(all)

    await all.install({ scope: 'all' }).catch(() => undefined)

    const failed = await all.ended('server.update')
    expect([failed.status, failed.error.code, failed.error.message, all.done()]).toEqual([
      ...['failed', 'backup_failed'],
      expect.stringMatching(
        /^\S+ was not changed, because the backup of shop.example before the change failed: The storage is full$/,
      ),
      [],
    ])
    await all.install({ scope: 'all', without_backup: true })
    expect(all.done()).toEqual([ALL])
  })

  test('show the backups in their plan', async () => {
    await using all = await updatable()
    const titles = async (body: object) =>
      (await all.plan(body)).body.plan.steps.map(({ title }: { title: string }) => title)

    expect(await titles({ scope: 'all' })).toEqual([
      ...['Backing up the sites of the server first', 'Creating the pool'],
    ])
    expect(await titles({ scope: 'security' })).toEqual(['Creating the pool'])
  })
})

test('security updates do not wait for backups', async () => {
  await using all = await updatable()

  await all.install({ scope: 'security' })

  expect(all.done()).toEqual([{ scope: 'security', restart_database: false }])
})
