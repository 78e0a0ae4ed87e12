import { afterAll, expect } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { attempts, startRestServer } from '#tests/support/storage/rest.ts'
import { installRestic, putRestic } from '#tests/support/storage/restic.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { confirmKit } from '#tests/support/system/life-backup.ts'
import { resticOf, stolenFrom } from '#tests/support/system/thief.ts'
import { MINUTES, World } from '#tests/support/system/world.ts'

const DOMAIN = 'shop.example.test'
const USER = 'agency'
const PAGE = 'yesterday'

const world = new World({
  ...{ name: 'stolen', suite: 'bookworm', init: 'systemd', php: '8.2', packaged: true },
})

unless(lab.available()).test(
  'a thief of the whole dashboard deletes and changes no backup in the storage',
  async () => {
    await world.start()
    const storage = await startRestServer({ users: [USER] })
    const { dashboard, host } = world
    const call = async (method: string, path: string, body?: object) => {
      const { status, body: answer } = await dashboard.call(method, path, body)
      return { status, body: answer as Record<string, { id: number }> }
    }
    const last = async (method: string, path: string, body: object = {}) =>
      (await dashboard.stream(method, path, body)).at(-1)?.event
    await putRestic(host)
    await world.register()
    await last('POST', world.path('/provision'), { php_versions: ['8.2'] })
    const input = { domain: DOMAIN, php: '8.2', tls: 'none' }
    const created = await dashboard.call('POST', world.path('/sites'), input)
    expect((await endOf(dashboard, created)).event).toBe('complete')
    const site = world.path(`/sites/${(created.body.site as { id: number }).id}`)
    await confirmKit(dashboard)
    const target = await call('POST', '/api/backup-targets', { name: 'R', ...storage.target(USER) })
    const target_id = target.body.target?.id ?? 0
    expect(await last('POST', world.path('/backup-check'), { target_id })).toBe('complete')
    const stolen = async () => stolenFrom(dashboard.data_dir)
    const put = 'for folder in /srv/www/*/public; do echo "$0" > "$folder/page.html"; done'
    await host.must(['bash', '-c', put, PAGE])
    expect(await last('POST', `${site}/backups`)).toBe('complete')
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
    const secrets = await stolen()
    const known = JSON.parse(await resticOf(thief, secrets, ['snapshots', '--json', '--no-lock']))
    const ids = known.map(({ id }: { id: string }) => id)
    expect(ids.length).toBeGreaterThan(1)
    const folder = `${storage.folder}/${USER}/${secrets.repository}`
    const names = (await storage.host.must(['find', folder, ...files, '-printf', '%P\\n'])).trim()
    const key = names.split('\n').find((name) => name.startsWith('keys/')) ?? ''
    for (const args of [
      ['forget', ...ids],
      ['key', 'remove', key.slice('keys/'.length)],
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

    // As its administrator.
    expect((await call('DELETE', `/api/backup-targets/${target_id}`)).status).toBe(409)
    for (const [method, path, body] of [
      ['DELETE', site, { without_backup: true }],
      ['POST', `${site}/purge`, { domain: DOMAIN }],
    ] as const)
      expect((await endOf(dashboard, await dashboard.call(method, path, body))).event).toBe(
        'complete',
      )
    expect((await call('DELETE', world.path(''))).status).toBe(204)
    await call('DELETE', `/api/backup-targets/${target_id}`)

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
