// tier: full, interrupts
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { hashOf } from '#tests/support/agent/staging.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { EverydaySweeps, SHOP } from '#tests/support/system/sweep/everyday.ts'
import { killed } from '#tests/support/system/sweep/points.ts'
import { stateOf } from '#tests/support/system/sweep/state.ts'
import { perform, type Scenario, type Work } from '#tests/support/system/sweep/sweep.ts'

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)
const { domain } = SHOP

const on = (
  command: string,
  work: object,
  back: object,
  more: Partial<Scenario> = {},
): Scenario => ({
  work: [command, { domain, ...work }],
  back: [[command, { domain, ...back }]],
  ...more,
})
const NAMES = { aliases: ['b.example.test'], redirects: [{ domain: 'old.example.test' }] }
const DOMAINS = on('site.domains', NAMES, { aliases: [], redirects: [] })
const LIMITS = { execution_time: 90, values: { allow_url_fopen: 'off' } }
const CONFIGURED = on(
  'site.configure',
  { php_settings: LIMITS, xmlrpc: 'off', page_purge: true },
  { php_settings: null, xmlrpc: 'on', page_purge: false },
)
const until = new Date(Date.now() + 3_600_000).toISOString()
const DEBUG = on('wp.debug', { until }, { until: null })
const pool = (tier: string): Work => [
  'pool.apply',
  { user: SHOP.user, php_version: SHOP.php, tier },
]
const OBJECTS = on('site.object-cache', { memory: 32 }, { memory: null })
const SUSPENDED: Scenario = {
  work: ['site.suspend', { domain }],
  back: [['site.resume', { domain }]],
}
const RESUMED: Scenario = { work: SUSPENDED.back[0] as Work, back: [SUSPENDED.work] }
const tls = (mode: string) => ({ tls: mode, email: SHOP.email })
/** Keys and certificates are random. */
const CERTIFICATE = on('tls.issue', tls('self-signed'), tls('none'), {
  ignoring: ['contents'],
})
const RULES = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: null }
const relay = {
  host: 'smtp.example.com',
  port: 587,
  tls: 'starttls',
  user: 'u',
  password: 'secret',
}
const mail = (given: object | null): Work => ['mail.apply', { ...RULES, relay: given }]
/** The queue runs before and after it. */
const MAIL: Scenario = {
  work: mail({ ...relay, host: 'other.example.com' }),
  back: [mail(relay)],
}
const maintained = (action: string): Scenario => ({
  work: ['database.maintain', { domain, action }],
  back: [],
})
const EVENTS: Scenario = { work: ['wp.cron-run', { domain }], back: [] }
/** Visitors are asked for a password, or see the page of the maintenance. */
const PROTECTED = on(
  'site.configure',
  {
    basic_auth: { user: 'client', password_hash: hashOf('letmein') },
    maintenance: { allow: ['::1'], message: 'Back soon' },
  },
  { basic_auth: null, maintenance: null },
)
const PURGED: Scenario = { work: ['cache.purge', { domain }], back: [] }
const FLUSHED: Scenario = { work: ['wp.cache-flush', { domain }], back: [] }
const COPY = { ...SHOP, domain: 'copy.example.test', user: 'copy1a2b3c' }
const password = (word: string): Work => [
  'staging.password',
  { domain: COPY.domain, password_hash: hashOf(word) },
]

unless(lab.available()).describe('an everyday command that is cut off', () => {
  let sweeps: EverydaySweeps
  beforeAll(async () => {
    sweeps = await EverydaySweeps.start('sweep-everyday')
  }, 10 * MINUTES)
  afterAll(() => sweeps?.end(), 10 * MINUTES)

  const unnoticed = (title: string, scenario: Scenario, every = 1) =>
    test(title, async () => expect(await sweeps.unnoticed(scenario, every)).toEqual([]))

  unnoticed('has changed the names or not', DOMAINS)
  unnoticed('has changed the settings or not', CONFIGURED, 5)
  unnoticed('has switched the debug log on or not', DEBUG, 9)
  unnoticed('has resized the pool or not', { work: pool('medium'), back: [pool('small')] }, 9)
  unnoticed('has started the object cache or not', OBJECTS, 2)
  unnoticed('has optimised the tables or not', maintained('optimise'))
  unnoticed('has repaired the tables or not', maintained('repair'))
  unnoticed('has run the due events or not', EVENTS)
  unnoticed('has emptied the page cache or not', PURGED)
  unnoticed('has flushed the object cache or not', FLUSHED)

  test('has set the relay or not', async () => {
    await sweeps.warm(...MAIL.back)
    await sweeps.mailQueueListens()
    expect(await sweeps.unnoticed(MAIL)).toEqual([])
    await sweeps.warm(mail(null))
  })

  test('has protected the site or not', async () =>
    expect(await sweeps.killed(PROTECTED, 2)).toEqual([]))

  test('has admitted a token with its login or not at all', async () => {
    const { host } = sweeps.agent
    const folder = `/srv/www/${SHOP.user}/tmp/logins`
    const files = `cd ${folder} && for file in *; do echo "$file $(cat "$file")"; done`
    const hash = 'ab'.repeat(32)
    const login: Work = ['wp.login', { domain, user_id: null, token_hash: hash }]
    const admitted = async () =>
      (await host.must(['bash', '-O', 'nullglob', '-c', files])).replace(/\d{10}/, 'until')
    const forget = () => host.must(['bash', '-c', `rm -f ${folder}/*`])
    const ended = await perform(sweeps.agent, login)
    await forget()
    const before = await stateOf(host)

    for (const point of killed(ended, 1)) {
      const { events } = await sweeps.agent.run(...login, point)

      const isDone = events.at(-1)?.event === 'complete'
      const expected = isDone ? `${hash} {"user":1,"until":until}\n` : ''
      expect([point, await admitted()]).toEqual([point, expected])
      expect([point, await stateOf(host)]).toEqual([point, before])
      await forget()
    }
    expect(killed(ended, 1).length).toBeGreaterThan(2)
  })

  // HTTP leads to HTTPS meanwhile.
  test('has installed the certificate or not', async () =>
    expect(await sweeps.killed(CERTIFICATE)).toEqual([]))

  test('has suspended the site with its object cache or not, and resumed it or not', async () => {
    await sweeps.warm(OBJECTS.work)
    expect(await sweeps.killed(SUSPENDED, 2)).toEqual([])
    await sweeps.warm(SUSPENDED.work)
    expect(await sweeps.killed(RESUMED, 2)).toEqual([])
    await sweeps.warm(...RESUMED.back, RESUMED.work, ...OBJECTS.back)
  })

  test('has changed the password of a staging site or not', async () => {
    const staging = { of: domain, user: 'staging', password_hash: hashOf('former') }
    await sweeps.warm(['site.clone', { ...COPY, staging, from: { kind: 'site', domain } }])
    expect(
      await sweeps.killed({ work: password('letmein'), back: [password('former')] }, 2),
    ).toEqual([])
  })
})
