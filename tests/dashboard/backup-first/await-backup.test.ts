import { describe, expect, test } from 'bun:test'
import { broken, held, prepared } from '#tests/support/dashboard/backup-first.ts'
import { streamed } from '#tests/support/dashboard/backups.ts'
import { EMAIL, until } from '#tests/support/dashboard/dashboard.ts'

const php = { php: '8.4' }

describe('a change of a site', () => {
  test('waits for a backup that starts with it, and says so', async () => {
    await using all = await prepared()

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

  test('has one backup in an hour, and the agent does not get the choice', async () => {
    await using all = await prepared()
    await streamed(all.dashboard, all.backups)

    await all.dashboard.call('PATCH', all.at, php)

    await all.ended('site.update')
    expect(all.given.map((each) => each['site.update'] ?? 'backup')).toEqual([
      'backup',
      { domain: 'shop.example', php: '8.4' },
    ])
  })

  test('joins a backup that is running', async () => {
    await using all = await prepared()
    const resume = held(all)
    const backup = streamed(all.dashboard, all.backups)
    await until(() => all.agent.asked.filter((each) => each === 'POST /exec').length > 2)

    await all.dashboard.call('PATCH', all.at, php)
    resume()

    await all.ended('site.update')
    await backup
    expect(all.commands()).toEqual(['backup.create', 'site.update'])
  })

  test('needs none for a change of the tier, and none if the call says so', async () => {
    await using all = await prepared()

    await all.dashboard.call('PATCH', all.at, { tier: 'medium' })
    await all.ended('site.update')
    await all.dashboard.call('PATCH', all.at, { ...php, without_backup: true })

    await until(() => all.given.length === 2)
    expect(all.given.map((each) => each['site.update'])).toEqual([
      { domain: 'shop.example', tier: 'medium' },
      { domain: 'shop.example', php: '8.4' },
    ])
  })

  test('does not happen when the backup fails; a retry backs up again', async () => {
    await using all = await prepared()
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

  test('that failed for its backup is retried without one', async () => {
    await using all = await prepared()
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

  test('shows the backup in its plan, and starts nothing', async () => {
    await using all = await prepared()

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

test('a deletion waits for a backup, too', async () => {
  await using all = await prepared()

  const { body } = await all.dashboard.call('DELETE', all.at)

  await all.ended('site.delete')
  expect([body.site.status, all.commands()]).toEqual(['deleting', ['backup.create']])
  const { body: trash } = await all.dashboard.call('GET', '/api/trash')
  expect(trash.trash.map(({ domain }: { domain: string }) => domain)).toEqual(['shop.example'])
})

test('a deletion whose backup fails leaves the site in use', async () => {
  await using all = await prepared()
  broken(all)

  await all.dashboard.call('DELETE', all.at)

  await all.ended('site.delete')
  const { body } = await all.dashboard.call('GET', `/api/fleet/sites/${all.site_id}`)
  expect(body.site).toMatchObject({ status: 'active' })
})

test('a bulk operation backs each site up first', async () => {
  await using all = await prepared()

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
