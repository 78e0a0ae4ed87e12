// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import { unless } from '#tests/support/skip.ts'
import { ANNA } from '#tests/support/ssh-keys.ts'
import { FULL, FullDisk } from '#tests/support/system/full-disk.ts'
import { shopOf } from '#tests/support/system/prepared.ts'
import { get } from '#tests/support/system/requests.ts'

const MINUTES = 60_000
const site = shopOf('bookworm')
const { domain, email } = site
const primary = 'store.example.test'
const DEBS = '/srv/more-debs'
const upload = 'a'.repeat(16)
const TRIED = `/var/lib/hosting-agent/uploads/${site.user}/${upload}/tried`
const DUMP = 'CREATE TABLE imported (a INT);\n-- Dump completed on 2026-01-01\n'

const person = { id: 1, person: 'Anna', kind: 'sftp', expires_at: null, keys: [ANNA] }
const job = { name: 'nightly', schedule: '0 3 * * *', command: 'wp cache flush' }
const until = new Date(Date.now() + 3_600_000).toISOString()
type Case = [command: string, params: object, back: object, steps: string[]]
/** With what takes it back, and the steps during which the disk becomes full. */
const CASES: Case[] = [
  ['site.domains', { aliases: ['b.example.test'] }, { aliases: [] }, ['vhost', 'record']],
  [
    'site.configure',
    { php_settings: { execution_time: 90, values: {} } },
    { php_settings: null },
    ['pool', 'vhost', 'record'],
  ],
  ['wp.debug', { until }, { until: null }, ['pool', 'record']],
  ['site.jobs', { jobs: [job] }, { jobs: [] }, ['jobs', 'record']],
  ['site.access', { grants: [person] }, { grants: [] }, ['keys', 'record']],
  ['site.object-cache', { memory: 32 }, { memory: null }, ['object cache', 'drop-in', 'record']],
  ['tls.issue', { tls: 'self-signed', email }, { tls: 'none', email }, ['certificate']],
  [
    'site.rename',
    { primary, former: 'redirect' },
    { domain: primary, primary: domain, former: 'none' },
    ['dump', 'rewrite', 'database', 'config'],
  ],
]

unless(lab.available()).describe('a full disk during an everyday command', () => {
  let disk: FullDisk

  beforeAll(async () => {
    const debs = await morePackages('bookworm', ['redis-tools'])
    const folders = ['/etc/hosting', '/etc/nginx', '/etc/systemd/system']
    disk = await FullDisk.start('full-everyday', folders, async (draft) => {
      const { host } = draft
      await lab.must(['cp', '--recursive', debs, `${host.root}${DEBS}`])
      await host.put('/etc/apt/sources.list.d/more.list', `deb [trusted=yes] file:${DEBS} ./\n`)
      await host.must(['apt-get', 'update', '-q'])
      await host.must(['systemctl', 'start', 'ssh'])
      const home = `s|<?php|<?php\\ndefine('WP_HOME', 'http://${domain}');|`
      await host.must(['sed', '--in-place', home, `/srv/www/${site.user}/public/wp-config.php`])
    })
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  const upset = async (command: string, params: object, record: number) => {
    expect(record).toBeGreaterThan(0)
    const before = await disk.settled()
    const last = await disk.filledAt(record, command, params)
    const { status } = await get(disk.host, `http://${domain}/`)
    await disk.resize('2g')
    expect([command, record, last?.event, last?.data]).toEqual([command, record, 'error', FULL])
    expect(status).toBe(200)
    expect(await disk.becomes(before)).toEqual(before)
  }

  test.each(CASES)(
    '%s is undone, and works when there is space again',
    async (command, change, undoing, steps) => {
      const [params, back] = [change, undoing].map((more) => ({ domain, ...more })) as [
        object,
        object,
      ]
      // Once before: only then are the records of one operation those of the next.
      for (const given of [params, back]) await disk.run(command, given)
      const journal = await disk.run(command, params)
      await disk.run(command, back)

      for (const step of steps) await upset(command, params, journal.indexOf(`${step} intent`) + 1)

      await disk.run(command, params)
      // 301: to the new domain, or to https.
      expect([200, 301]).toContain((await get(disk.host, `http://${domain}/`)).status)
      await disk.run(command, back)
    },
  )

  test('an import keeps the former database', async () => {
    const params = { domain, upload, part_count: 1 }
    const part = { domain, upload, part: 0, data: btoa(DUMP) }
    const send = () => disk.asking.call('/sites/database-upload', part)
    await send()
    const journal = await disk.run('database.import', params)
    await disk.run('backup.undo', { domain })

    for (const step of ['keep', 'dump']) {
      await send()
      await upset('database.import', params, journal.indexOf(`${step} intent`) + 1)
    }

    await send()
    const before = await disk.settled()
    await disk.fill()
    const refused = await disk.asking.call('/exec', { command: 'database.import', params })
    await disk.resize('2g')
    expect(refused).toMatch(/ has \d+ \w+ free, and the import needs \d+ MB/)
    expect(await disk.becomes(before)).toEqual(before)
    await disk.run('database.import', params)
    await disk.run('backup.undo', { domain })
  })

  test('an import that fills the disk ends before MariaDB waits for space, or aborts', async () => {
    const params = { domain, upload, part_count: 1 }
    const send = (text: string) =>
      disk.asking.call('/sites/database-upload', { domain, upload, part: 0, data: btoa(text) })
    await send(DUMP)
    const journal = await disk.run('database.import', params)
    await disk.run('backup.undo', { domain })
    const record = journal.indexOf('database intent') + 1
    const pid = ['systemctl', 'show', '--property=MainPID', 'mariadb.service']
    const running = await disk.host.must(pid)

    for (const engine of ['InnoDB', 'MyISAM']) {
      const inserts = "INSERT INTO filler SELECT REPEAT('x', 8000000);\n".repeat(40)
      await send(`CREATE TABLE filler (a LONGTEXT) ENGINE=${engine};\n${inserts}`)
      await disk.host.must(['touch', TRIED])
      const before = await disk.settled()
      const from = Date.now()
      const last = await disk.filledAt(record, 'database.import', params, { room_kb: 100_000 })
      const seconds = (Date.now() - from) / 1000
      const { status } = await get(disk.host, `http://${domain}/`)
      await disk.resize('2g')

      expect([engine, last?.event, last?.data]).toEqual([engine, 'error', FULL])
      expect(seconds).toBeLessThan(30)
      expect([status, await disk.host.must(pid)]).toEqual([200, running])
      expect(await disk.becomes(before)).toEqual(before)
    }
  })
})
