import { describe, expect, test } from 'bun:test'
import { held, prepared } from '#tests/support/dashboard/backup-first.ts'
import { makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'

const php = { php: '8.4' }

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
