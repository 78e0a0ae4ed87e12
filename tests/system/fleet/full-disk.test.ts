// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { FULL, FullDisk } from '#tests/support/system/full-disk.ts'

const MINUTES = 60_000
const STATE = '/var/lib/hosting-agent'

const domain = 'full.example.test'
const site = {
  domain,
  ...{ php: '8.2', tier: 'small', tls: 'none', email: 'o@example.test', user: 'full1a2b3c' },
}

unless(lab.available()).describe('a disk that is full', () => {
  let disk: FullDisk

  beforeAll(async () => {
    disk = await FullDisk.start('full', [], async (draft) => {
      await draft.run('site.create', site)
      await draft.run('site.delete', { domain })
      await draft.run('site.purge', { domain, confirm: domain, trashed_days: 0 })
    })
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  /** Fails for the disk; with free space again the server is as before, and the same call works. */
  const fails = async (records: number[], command: string, params: object, reserve = true) => {
    const before = await disk.settled()
    for (const record of records) {
      const last = await disk.filledAt(record, command, params, { reserve })
      expect([record, last?.event, last?.data]).toEqual([record, 'error', FULL])
      await disk.resize('2g')
      expect(await disk.becomes(before)).toEqual(before)
    }
    await disk.run(command, params)
  }

  test('creates no incomplete site', () => fails([5, 7, 19], 'site.create', site))
  test('does not move a site', () => fails([9], 'site.delete', { domain }))
  test('keeps a site in the trash when no space was reserved either', () =>
    fails([1], 'site.restore', { domain }, false))

  test('lets the agent start and answer', async () => {
    await disk.fill()
    await disk.host.must(['systemctl', 'restart', 'hosting-agent.service'])
    expect(await lab.poll(() => disk.answers(), { timeout_ms: 3 * MINUTES })).toBe(true)
    await disk.resize('2g')
  })

  test('or read-only: is reported, changes nothing, and then continues', async () => {
    const before = await disk.settled()
    const change = { domain, tier: 'medium' }
    await disk.host.must(['mount', '-o', 'remount,bind,ro', STATE])
    const refused = await disk.asking.call('/exec', { command: 'site.update', params: change })
    await disk.host.must(['mount', '-o', 'remount,bind,rw', STATE])

    expect(refused).toContain('A disk of this server is read-only')
    expect(await disk.becomes(before)).toEqual(before)
    await disk.run('site.update', change)
  })
})
