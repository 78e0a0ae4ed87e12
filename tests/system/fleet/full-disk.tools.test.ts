// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Acme, startAcme } from '#tests/support/acme/index.ts'
import { hashOf } from '#tests/support/agent/staging.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { addAdminerSource } from '#tests/support/system/adminer-source.ts'
import { FULL, FullDisk } from '#tests/support/system/full-disk.ts'
import { configureAgent } from '#tests/support/system/machine.ts'
import { shopOf } from '#tests/support/system/prepared.ts'
import { get } from '#tests/support/system/requests.ts'

const MINUTES = 60_000
const site = shopOf('bookworm')
const { domain, email } = site
const CA = '/etc/acme-ca.pem'
const LOGINS = `/srv/www/${site.user}/tmp/logins`

const RULES = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: null }
const RELAY = {
  host: 'smtp.example.com',
  port: 587,
  tls: 'starttls',
  user: 'u',
  password: 'secret',
}
const AUTH = { user: 'client', password_hash: hashOf('letmein') }

type Work = [command: string, params: object]
const on = (command: string, more: object = {}): Work => [command, { domain, ...more }]
const tls = (mode: string) => on('tls.issue', { tls: mode, email })
const mail = (more: object): Work => ['mail.apply', { ...RULES, relay: null, ...more }]

/** Work, what takes it back, and the steps during which the disk becomes full. */
const CASES: [title: string, work: Work, back: Work[], steps: string[]][] = [
  ['suspends a site', on('site.suspend'), [on('site.resume')], ['vhost', 'record']],
  ['changes the relay of the server', mail({ relay: RELAY }), [mail({})], ['setting']],
  [
    'changes the mail of a site',
    mail({ domain, from_address: `info@${domain}` }),
    [mail({ domain })],
    ['setting'],
  ],
  [
    'purges changed pages',
    on('site.configure', { page_purge: true }),
    [on('site.configure', { page_purge: false })],
    ['purge plugin', 'vhost', 'cron', 'record'],
  ],
  [
    'asks visitors for a password',
    on('site.configure', { basic_auth: AUTH }),
    [on('site.configure', { basic_auth: null })],
    ['vhost', 'cron', 'record'],
  ],
  ['gets a certificate', tls('letsencrypt'), [tls('none')], ['certificate']],
  ['optimises tables', on('database.maintain', { action: 'optimise' }), [], ['tables']],
]

unless(lab.available()).describe('a full disk during a command', () => {
  let disk: FullDisk
  let acme: Acme

  beforeAll(async () => {
    acme = await startAcme()
    const folders = ['/etc/hosting', '/etc/nginx', '/etc/systemd/system', '/var/lib/hosting-mail']
    disk = await FullDisk.start('full-tools', folders, async (draft) => {
      const { host } = draft
      await addAdminerSource(host, 'bookworm')
      await host.put(CA, acme.ca_pem)
      for (const name of [domain, `www.${domain}`]) await acme.resolve(name, host.address)
      await configureAgent(host, {
        AGENT_ACME_DIRECTORY: acme.directory_url,
        AGENT_ACME_CA_FILE: CA,
      })
      await host.must(['mkdir', '-p', '/var/lib/hosting-mail'])
    })
  }, 10 * MINUTES)
  afterAll(async () => {
    await acme?.stop()
    await lab.switchDown()
  }, 5 * MINUTES)

  /** Its PHP runs, as it does after most commands. */
  const visited = () => get(disk.host, `http://${domain}/?now`)
  const answers = (status: number) =>
    lab.poll(async () => (await visited()).status === status, { timeout_ms: 10_000 })
  const last = async ([command, params]: Work) =>
    (await disk.asking.start(command, params).ended).at(-1)
  const upset = async ([command, params]: Work, record: number) => {
    expect(record).toBeGreaterThan(0)
    await visited()
    const before = await disk.settled()
    const end = await disk.filledAt(record, command, params)
    await disk.resize('2g')
    expect([command, record, end?.event, end?.data]).toEqual([command, record, 'error', FULL])
    expect(await disk.becomes(before)).toEqual(before)
    expect(await answers(200)).toBe(true)
  }

  test.each(CASES)(
    'a command that %s is undone, and works when there is space again',
    async (_, work, back, steps) => {
      // Once before: only then are the records of one operation those of the next.
      for (const [command, params] of [work, ...back]) await disk.run(command, params)
      const journal = await disk.run(...work)
      for (const [command, params] of back) await disk.run(command, params)

      for (const step of steps) await upset(work, journal.indexOf(`${step} intent`) + 1)

      for (const [command, params] of [work, ...back]) await disk.run(command, params)
    },
  )

  test('a site that is resumed stays suspended, and is resumed when there is space again', async () => {
    const [suspend, resume] = [on('site.suspend'), on('site.resume')]
    await disk.run(...suspend)
    const journal = await disk.run(...resume)
    for (const step of ['vhost', 'record']) {
      await disk.run(...suspend)
      const before = await disk.settled()
      const end = await disk.filledAt(journal.indexOf(`${step} intent`) + 1, ...resume)
      await disk.resize('2g')
      expect([step, end?.event, end?.data]).toEqual([step, 'error', FULL])
      expect(await disk.becomes(before)).toEqual(before)
      expect(await answers(503)).toBe(true)
      await disk.run(...resume)
    }
    expect(await answers(200)).toBe(true)
  })

  test.each(['database.user', 'database.tool'])(
    '%s makes no user, and one when there is space again',
    async (command) => {
      const users = () =>
        disk.host.must(['mariadb', '-N'], {
          input: "SELECT User FROM mysql.global_priv WHERE User LIKE 'hosting\\\\_tmp\\\\_%'",
        })
      let count = 0
      const making = (): Work => {
        const token = String(count++).padStart(10, '0')
        const account_hash = `*${'AB'.repeat(20)}`
        return on(command, { rights: 'read', minutes: 30, account_hash, token })
      }
      const made = async () => {
        const end = await last(making())
        expect([command, end?.event]).toEqual([command, 'complete'])
        const user = String(end?.data.user)
        expect(await users()).toBe(`${user}\n`)
        await disk.run(...on('database.user-end', { user }))
      }
      await made()

      await upset(making(), 1)

      expect(await users()).toBe('')
      await made()
    },
  )

  test('a login leaves no token, and works when there is space again', async () => {
    const login = on('wp.login', { user_id: null, token_hash: 'ab'.repeat(32) })
    const tokens = async () => (await disk.host.must(['ls', LOGINS])).trim()
    const forget = () => disk.host.must(['bash', '-c', `rm -f ${LOGINS}/*`])
    await disk.run(...login)
    await forget()

    await upset(login, 1)

    expect(await tokens()).toBe('')
    await disk.run(...login)
    expect(await tokens()).toBe('ab'.repeat(32))
  })
})
