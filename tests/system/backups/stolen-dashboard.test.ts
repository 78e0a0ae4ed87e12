// tier: full
import { afterAll, expect } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { attempts, startRestServer } from '#tests/support/storage/rest.ts'
import { installRestic } from '#tests/support/storage/restic.ts'
import { PAGE, savedYesterday } from '#tests/support/system/stolen-world.ts'
import { resticOf, stolenFrom } from '#tests/support/system/thief.ts'
import { MINUTES, World } from '#tests/support/system/world.ts'

const USER = 'agency'

const world = new World({
  ...{ name: 'stolen', suite: 'bookworm', init: 'systemd', php: '8.2', image: 'provisioned' },
})

unless(lab.available()).test(
  'a thief of the whole dashboard deletes and changes no backup in the storage',
  async () => {
    await world.start()
    const storage = await startRestServer({ users: [USER] })
    const { deleteAll } = await savedYesterday(world, storage.target(USER))
    const files = ['-type', 'f', '-not', '-path', '*/locks/*']
    const sums = () =>
      storage.host.must([
        ...['bash', '-c', 'cd "$0" && find . "$@" -exec sha256sum {} + | sort -k 2'],
        ...[`${storage.folder}/${USER}`, ...files],
      ])
    const before = await sums()
    expect(before.split('\n').length).toBeGreaterThan(5)

    // With all of its secrets, from anywhere.
    const thief = await lab.startHost({ name: 'thief', suite: 'bookworm', init: 'systemd' })
    await installRestic(thief)
    const secrets = await stolenFrom(world.dashboard.data_dir)
    const known = JSON.parse(await resticOf(thief, secrets, ['snapshots', '--json', '--no-lock']))
    const ids = known.map(({ id }: { id: string }) => id)
    expect(ids.length).toBeGreaterThan(1)
    const folder = `${storage.folder}/${USER}/${secrets.repository}`
    const names = (await storage.host.must(['find', folder, ...files, '-printf', '%P\\n'])).trim()
    const keys = JSON.parse(await resticOf(thief, secrets, ['key', 'list', '--json', '--no-lock']))
    const other = keys.find(({ current }: { current: boolean }) => !current)
    for (const args of [
      ['forget', ...ids],
      ['key', 'remove', other.id],
    ])
      expect(await resticOf(thief, secrets, args).then(() => 'done', String)).toMatch(/403|denied/)
    const prune = [
      'forget',
      '--prune',
      '--unsafe-allow-remove-all',
      '--tag',
      'files,database,manifest',
    ]
    await resticOf(thief, secrets, prune).catch(String)
    const { repository } = secrets
    const refused = await attempts(thief, storage.target(USER), repository, names.split('\n'))
    expect(refused).toEqual(['DELETE 403', 'POST 403'])

    expect(await deleteAll()).toEqual({
      used_target: 409,
      deleted: 'complete',
      purged: 'complete',
      server: 204,
    })

    expect(await sums()).toBe(before)
    await resticOf(thief, secrets, ['check', '--read-data', '--quiet', '--no-lock'])
    const saved = ['dump', '--no-lock', '--tag', 'files', 'latest', '/site/public/page.html']
    expect((await resticOf(thief, secrets, saved)).trim()).toBe(PAGE)
  },
  15 * MINUTES,
)

afterAll(async () => {
  await world.stop()
}, 5 * MINUTES)
