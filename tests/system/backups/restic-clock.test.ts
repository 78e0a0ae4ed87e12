// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { MovedClock } from '#tests/support/storage/moved-clock.ts'
import { installRestic, restic } from '#tests/support/storage/restic.ts'
import { during } from '#tests/support/system/backup-faults/moment.ts'
import { BackupHost, type Ended, type Saved, SITE } from '#tests/support/system/backup-host.ts'
import { differences } from '#tests/support/system/histories/tree-state.ts'

const MINUTES = 60_000
setDefaultTimeout(20 * MINUTES)
const HOUR = 3600
const YEAR = 365 * 24 * HOUR
const PROGRAM = '/var/lib/hosting-agent/bin/restic'
const STORE = { place: { kind: 'local', path: '/mnt/store' }, secret: '' } as const
const OWN = '/root/restic/own'

unless(lab.available()).describe('a server whose clock jumps while restic runs', () => {
  let server: BackupHost
  let clock: MovedClock
  let saved: Saved

  /** With the clock of the host. */
  const own = async (...args: string[]) => {
    await server.host.put(OWN, `${saved.password}\n`, 0o600)
    return restic(server.host, STORE, saved.repository, ['--password-file', OWN, ...args])
  }
  const manifests = async (): Promise<{ id: string; time: string }[]> =>
    JSON.parse((await own('snapshots', '--json', '--no-lock', '--tag', 'manifest')).stdout)
  const hasLock = async () => {
    const locks = await server.host.must(['ls', `${STORE.place.path}/${saved.repository}/locks`])
    return locks.trim() !== ''
  }
  /** As soon as the restic that `words` describe has its lock; until the end of the operation. */
  const jumping = async (words: string, seconds: number, work: Promise<Ended>) => {
    const { event, data } = await during(server.host, words, work, async (pid) => {
      await server.host.must(['kill', '-CONT', pid])
      await lab.poll(hasLock, { every_ms: 20 })
      await clock.move(seconds)
    })
    await clock.move(0)
    expect([words, event, data.message]).toEqual([words, 'complete', undefined])
  }

  beforeAll(async () => {
    server = await BackupHost.start('resticclock', 'bookworm')
    await server.empty()
    const sql = `CREATE TABLE a (b LONGBLOB); INSERT INTO a VALUES (REPEAT('x', 4000000))`
    await server.host.must(['mariadb', SITE.user], { input: sql })
    await server.quicken()
    await installRestic(server.host)
    saved = await server.save()
    clock = await MovedClock.on(server.host, ['qemu-user'])
    await clock.ofStatic(PROGRAM)
    server.write('large', randomBytes(30 * 2 ** 20))
  }, 15 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test('has complete backups, of that time, and they can be restored', async () => {
    const [before, had] = [await server.state(), await manifests()]
    const create = () => server.run('backup.create', server.saving)
    await jumping('--tag database', -HOUR, create())
    await jumping('--tag files', YEAR, create())
    const now = Date.now() / 1000

    const hours = (await manifests()).map(({ time }) =>
      Math.round((Date.parse(time) / 1000 - now) / HOUR).toString(),
    )
    expect(hours).toEqual(['-1', ...had.map(() => '0'), `${YEAR / HOUR}`])
    const checked = await own('check', '--read-data')
    expect([checked.code, checked.stderr]).toEqual([0, ''])
    for (const { id } of (await manifests()).filter(({ id }) =>
      had.every((one) => one.id !== id),
    )) {
      const parts = { files: true, database: true }
      const params = server.restoring({ ...saved, id }, parts)
      await jumping('/database.sql', HOUR, server.run('backup.restore', params))
      const after = await server.state()
      expect(differences(after.files, before.files)).toEqual([])
      expect(differences(after.database, before.database)).toEqual([])
      await server.completed('backup.undo', { domain: SITE.domain })
    }
  })
})
