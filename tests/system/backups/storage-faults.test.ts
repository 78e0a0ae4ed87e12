// tier: full, interrupts
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { grow, shrink } from '#tests/support/system/backup-faults/disk.ts'
import { during } from '#tests/support/system/backup-faults/moment.ts'
import { FaultyWorld } from '#tests/support/system/backup-faults/world.ts'
import { expectEndOfCut, expectFull, FETCHES, SAVES } from '#tests/system/backups/faults/checks.ts'
import { expectEachCreated } from '#tests/system/backups/faults/first.ts'

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)

unless(lab.available()).describe('a backup', () => {
  let world: FaultyWorld

  beforeAll(async () => {
    world = await FaultyWorld.start()
  }, 15 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test('is absent when the disk of the storage is full, and earlier ones remain', () =>
    expectFull(world))

  test('is absent when the disk of the server fills while it is saved, and complete when it is full before', async () => {
    const { host } = world.server
    const cache = `/var/lib/hosting-agent/cache/restic/${world.saved.repository}`
    await host.must(['mount', '-t', 'tmpfs', '-o', 'mode=700,size=900m', 'tmpfs', cache])
    world.renewed()
    const [before, had] = [await world.everything(), await world.manifests()]

    const { event, data } = await during(host, '--tag files', world.impatient.create(), () =>
      shrink(host, cache, 0),
    )

    expect([event, data.message]).toEqual(['error', expect.stringMatching(/no space left/)])
    expect(['full', await world.changes(before)]).toEqual(['full', []])
    expect(await world.manifests()).toEqual(had)

    expect((await world.create()).event).toBe('complete')
    await host.must(['umount', cache])
    const manifests = await world.manifests()
    expect(manifests).toHaveLength(had.length + 1)
    // That of the restic that was killed.
    await world.keeper('unlock', '--remove-all')
    const checked = await world.keeper('check', '--read-data')
    expect([checked.code, checked.stderr]).toEqual([0, ''])
    expect((await world.restore({ id: manifests.at(-1) ?? '' })).event).toBe('complete')
    await world.undo()
    expect(['undone', await world.changes(before)]).toEqual(['undone', []])
  })

  test.each([
    ['saved', 'create', SAVES],
    ['fetched', 'restore', FETCHES],
  ] as const)(
    'ends when the network is cut while it is %s, and works when it is back',
    (_, work, steps) => expectEndOfCut(world, work, steps),
  )

  test('changes nothing when the disk of the server is full while it is fetched', async () => {
    const { host } = world.server
    const fetched = '/srv/www/.restore'
    await host.must(['install', '-d', '-m', '0700', fetched])
    await host.must(['mount', '-t', 'tmpfs', '-o', 'mode=700,size=900m', 'tmpfs', fetched])
    const before = await world.everything()

    const { event, data } = await during(host, '--target', world.restore(), () =>
      shrink(host, fetched, 1024),
    )

    await grow(host, fetched)
    expect([event, data.message]).toEqual(['error', expect.stringMatching(/no space left/i)])
    expect(['full', await world.changes(before)]).toEqual(['full', []])
    await host.must(['umount', fetched])
  })

  test('is not restored with another password, or from a damaged pack', async () => {
    const { storage, saved } = world
    const before = await world.everything()
    const wrong = await world.restore({ password: 'x'.repeat(48) })
    expect(wrong).toMatchObject({
      event: 'error',
      data: { message: expect.stringContaining('has another password') },
    })
    expect(['wrong password', await world.changes(before)]).toEqual(['wrong password', []])

    const folder = `${storage.folder}/${saved.repository}/data`
    const large = await storage.host.must(['find', folder, '-size', '+1M'])
    const packs = large.trim().split('\n')
    for (const pack of packs) {
      await storage.host.must(['cp', '-p', pack, `/srv/${pack.split('/').at(-1)}`])
      const bytes = ['dd', 'if=/dev/zero', `of=${pack}`, 'bs=1', 'seek=5000', 'count=9']
      await storage.host.must([...bytes, 'conv=notrunc'])
    }
    const damaged = await world.restore()
    expect(damaged).toMatchObject({
      event: 'error',
      data: { message: expect.stringMatching(/^The repository is damaged: /) },
    })
    expect(['damaged pack', await world.changes(before)]).toEqual(['damaged pack', []])

    for (const pack of packs) {
      await storage.host.must(['cp', '-p', `/srv/${pack.split('/').at(-1)}`, pack])
    }
    expect((await world.restore()).event).toBe('complete')
    await world.undo()
    expect(['undone', await world.changes(before)]).toEqual(['undone', []])
  })

  test('is absent when a restic that creates its repository is interrupted, and the next one complete', () =>
    expectEachCreated(world))

  test('waits while the owner of the storage has locked the repository', async () => {
    // Those of restics that were killed.
    await world.keeper('unlock', '--remove-all')
    const had = await world.manifests()
    const locks = `${world.storage.folder}/${world.saved.repository}/locks`
    const ended: string[] = []
    const slowly = ['--limit-download', '10000']

    const locking = world.keeper('check', '--read-data', ...slowly).then(({ code }) => {
      ended.push(`check: ${code}`)
    })
    const locked = async () => (await world.storage.host.must(['ls', locks])).trim() !== ''
    expect(await lab.poll(locked, { every_ms: 20 })).toBe(true)
    const { event } = await world.create()
    ended.push(`backup: ${event}`)
    await locking

    expect(ended).toEqual(['check: 0', 'backup: complete'])
    expect((await world.manifests()).length).toBe(had.length + 1)
  })
})
