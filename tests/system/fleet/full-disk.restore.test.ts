// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { dashboard, kit, opened } from '#tests/support/agent/backup.ts'
import * as lab from '#tests/support/lab/index.ts'
import { openedBy } from '#tests/support/repository-password.ts'
import { unless } from '#tests/support/skip.ts'
import { putRestic } from '#tests/support/storage/restic.ts'
import { FULL, FullDisk } from '#tests/support/system/full-disk.ts'
import { SHOP } from '#tests/support/system/prepared.ts'
import { get } from '#tests/support/system/requests.ts'

const MINUTES = 60_000
setDefaultTimeout(15 * MINUTES)
const { domain, user } = SHOP
const target = { place: { kind: 'local', path: '/mnt/store' }, secret: '' }
const keys = { dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey }
const NO_ROOM = {
  code: 'disk_full',
  error: 'Conflict',
  message: expect.stringMatching(/^\/srv\/www has 0 B free, and the restore needs \d+ MB$/),
}
const STEPS = [
  ['fetch', NO_ROOM],
  ['keep', FULL],
  ['dump', FULL],
  ['database', FULL],
] as const

unless(lab.available()).describe('a disk that fills up during a restore', () => {
  let disk: FullDisk
  let params = {}

  const sql = (text: string) => disk.host.must(['mariadb', user, '-e', text])

  beforeAll(async () => {
    disk = await FullDisk.start('full-restore', [], async (draft) => {
      await putRestic(draft.host)
      await draft.host.must(['install', '-d', '-m', '0700', '/mnt/store'])
    })
    // The restore needs more space than the present database has.
    await sql("CREATE TABLE large (b LONGBLOB) SELECT REPEAT('x', 8388608) b FROM seq_1_to_8")
    const { ended } = disk.asking.start('backup.create', {
      domain,
      target,
      repository: user,
      ...keys,
    })
    const { backup, sealed_password } = Object((await ended).at(-1)?.data)
    const password = opened(dashboard.privateKey, sealed_password)
    const parts = { files: true, database: true }
    const { repository, id } = backup
    await sql('DROP TABLE large; CREATE TABLE later (a INT)')
    params = { domain, target, repository, ...openedBy(password), backup: id, parts }
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test('leaves the site as it is at each step, and works when there is space again', async () => {
    const journal = await disk.run('backup.restore', params)
    await disk.run('backup.undo', { domain })
    const before = await disk.settled()
    for (const [step, expected] of STEPS) {
      const record = journal.indexOf(`${step} intent`) + 1
      const last = await disk.filledAt(record, 'backup.restore', params)
      await disk.resize('2g')
      expect([step, record > 0, last?.event, last?.data]).toEqual([step, true, 'error', expected])
      expect(await disk.becomes(before)).toEqual(before)
      expect((await get(disk.host, `http://${domain}/`)).status).toBe(200)
    }
    await disk.run('backup.restore', params)
    expect(await sql('SELECT SUM(LENGTH(b)) FROM large')).toContain('67108864')
  })
})
