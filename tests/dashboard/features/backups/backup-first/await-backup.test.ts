// tier: gate
import { describe, expect } from 'bun:test'
import { broken, held, prepared } from '#tests/support/dashboard/backup-first.ts'
import { streamed } from '#tests/support/dashboard/backups.ts'
import { EMAIL, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(prepared)
const php = { php: '8.4' }

describe('a change of a site', () => {
  test('waits for a backup that starts with it, and says so', async (all) => {
    const { status } = await all.dashboard.call('PATCH', all.at, php)

    const { id } = await all.ended('site.update')
    const events = await all.dashboard.send('GET', `/api/operations/${id}/events`)
    expect([status, all.commands()]).toEqual([202, ['backup.create', 'site.update']])
    expect((await events.text()).match(/"message":"[^"]*"/g)).toEqual([
      '"message":"Backing up shop.example before it is changed"',
      '"message":"Changing"',
    ])
    expect(await all.last('backup.create')).toMatchObject({ status: 'success', actor: EMAIL })
  })

  test('has one backup in an hour, and the agent does not get the choice', async (all) => {
    await streamed(all.dashboard, all.backups)

    await all.dashboard.call('PATCH', all.at, php)

    await all.ended('site.update')
    expect(all.given.map((each) => each['site.update'] ?? 'backup')).toEqual([
      'backup',
      { domain: 'shop.example', php: '8.4' },
    ])
  })

  test('joins a backup that is running', async (all) => {
    const resume = held(all)
    const backup = streamed(all.dashboard, all.backups)
    await until(() => all.agent.asked.filter((each) => each === 'POST /exec').length > 2)

    await all.dashboard.call('PATCH', all.at, php)
    resume()

    await all.ended('site.update')
    await backup
    expect(all.commands()).toEqual(['backup.create', 'site.update'])
  })

  test('needs none for a change of the tier, and none if the call says so', async (all) => {
    await all.dashboard.call('PATCH', all.at, { tier: 'medium' })
    await all.ended('site.update')
    await all.dashboard.call('PATCH', all.at, { ...php, without_backup: true })

    await until(() => all.given.length === 2)
    expect(all.given.map((each) => each['site.update'])).toEqual([
      { domain: 'shop.example', tier: 'medium' },
      { domain: 'shop.example', php: '8.4' },
    ])
  })

  test('does not happen when the backup fails; a retry backs up again', async (all) => {
    const repair = broken(all)
    await all.dashboard.call('PATCH', all.at, php)
    const failed = await all.ended('site.update')

    repair()
    const retried = await all.dashboard.call('POST', `/api/operations/${failed.id}/retry`, {})

    expect([failed.status, failed.error, retried.status]).toEqual([
      'failed',
      {
        error: 'Conflict',
        message:
          'shop.example was not changed, because its backup before the change failed: The storage is full',
        code: 'backup_failed',
      },
      202,
    ])
    await until(async () => (await all.last('site.update')).status === 'success')
    expect(all.commands()).toEqual(['backup.create', 'site.update'])
  })

  test('that failed for its backup is retried without one', async (all) => {
    broken(all)
    await all.dashboard.call('PATCH', all.at, php)
    const failed = await all.ended('site.update')
    const retry = `/api/operations/${failed.id}/retry`

    const planned = await all.dashboard.call('POST', retry, { dry_run: true })
    await all.dashboard.call('POST', retry, { without_backup: true })

    await until(async () => (await all.last('site.update')).status === 'success')
    const titles = planned.body.plan.steps.map(({ title }: { title: string }) => title)
    expect([titles, all.commands()]).toEqual([
      ['Backing up the site first', 'Creating the pool'],
      ['site.update'],
    ])
  })

  test('shows the backup in its plan, and starts nothing', async (all) => {
    const { body } = await all.dashboard.call('PATCH', all.at, { ...php, dry_run: true })
    const without = await all.dashboard.call('PATCH', all.at, {
      ...{ ...php, dry_run: true, without_backup: true },
    })

    const names = (plan: typeof body) => plan.plan.steps.map(({ name }: { name: string }) => name)
    expect([names(body), names(without.body), all.given]).toEqual([
      ['backup', 'pool'],
      ['pool'],
      [],
    ])
  })
})

test('a deletion waits for a backup, too', async (all) => {
  const { body } = await all.dashboard.call('DELETE', all.at)

  await all.ended('site.delete')
  expect([body.site.status, all.commands()]).toEqual(['deleting', ['backup.create']])
  const { body: trash } = await all.dashboard.call('GET', '/api/trash')
  expect(trash.trash.map(({ domain }: { domain: string }) => domain)).toEqual(['shop.example'])
})

test('a deletion whose backup fails leaves the site in use', async (all) => {
  broken(all)

  await all.dashboard.call('DELETE', all.at)

  await all.ended('site.delete')
  const { body } = await all.dashboard.call('GET', `/api/fleet/sites/${all.site_id}`)
  expect(body.site).toMatchObject({ status: 'active' })
})

test('a bulk operation backs each site up first', async (all) => {
  const { body } = await all.dashboard.call('POST', '/api/bulk-operations', {
    ...{ type: 'site.update', params: php, targets: { site_ids: [all.site_id] } },
  })

  const { id } = body.bulk_operation
  await until(async () => {
    const { body: now } = await all.dashboard.call('GET', `/api/bulk-operations/${id}`)
    return now.bulk_operation.status === 'success'
  })
  expect(all.commands()).toEqual(['backup.create', 'site.update'])
})

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

describe('a change that waits for a backup', () => {
  test('continues after a restart of the dashboard, with one backup', async () => {
    await using all = await prepared()
    const resume = held(all)
    await all.dashboard.call('PATCH', all.at, php)
    await until(async () => (await all.last('backup.create'))?.status === 'running')

    await all.dashboard.deps.worker.stop()
    await using again = await makeDashboard({ folder: all.dashboard.folder })
    await again.deps.worker.resume()
    resume()

    await until(async () => {
      const { body } = await again.call('GET', '/api/operations?type=site.update')
      return body.operations[0].status === 'success'
    })
    expect(all.commands()).toEqual(['backup.create', 'site.update'])
  })

  test('is cancelled while it waits; the backup continues', async () => {
    await using all = await prepared()
    const resume = held(all)
    await all.dashboard.call('PATCH', all.at, php)
    await until(async () => (await all.last('backup.create'))?.status === 'running')
    const { id } = await all.last('site.update')

    await all.dashboard.call('POST', `/api/operations/${id}/cancel`, {})

    const cancelled = await all.ended('site.update')
    resume()
    const { status } = await all.ended('backup.create')
    expect([cancelled.status, status, all.commands()]).toEqual([
      ...['cancelled', 'success', ['backup.create']],
    ])
  })

  test('excludes every other one while it waits', async () => {
    await using all = await prepared()
    const resume = held(all)
    await all.dashboard.call('PATCH', all.at, php)
    await until(async () => (await all.last('backup.create'))?.status === 'running')

    const other = await all.dashboard.call('DELETE', all.at)
    const backup = await all.dashboard.call('POST', all.backups, {})

    resume()
    await all.ended('site.update')
    expect([other.status, backup.status]).toEqual([409, 409])
  })
})
