import { beforeEach, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { commands } from '#agent/commands/index.ts'
import { Runner } from '#agent/operations/runner.ts'
import { getSite, writeSite } from '#agent/os/site/sites.ts'
import { SiteNames } from '#shared/site-names.ts'
import { authority, issue, issuing, serveTokens, tlsSite } from '#tests/support/agent/tls-site.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const FOLDER = '/etc/hosting/tls/a.example'
const VHOST = '/etc/nginx/sites-available/hosting-a.example.conf'
const DAY_MS = 86_400_000
const KEPT =
  'Keeping the current certificate: it is valid until 2026-04-01T00:00:00.000Z for exactly these names, and not due for renewal'

let host: FakeHost
beforeEach(async () => {
  host = await tlsSite()
  issuing(host)
  await issue(host, 'letsencrypt')
})

const served = () => host.disk.all[`${FOLDER}/fullchain.pem`]
const plan = () => {
  const runner = new Runner({ host, commands, report: () => undefined })
  return runner.plan('tls.issue', { domain: 'a.example', tls: 'letsencrypt', email: 'b@a.example' })
}

test('a certificate for exactly these names that is not due is kept, and served as it should be', async () => {
  const before = served()
  host.disk.putText(VHOST, `${host.disk.all[VHOST]}# changed by hand\n`)

  expect(await issue(host, 'letsencrypt')).toEqual([
    ['Requesting a certificate for a.example', KEPT],
    {
      ...{ domain: 'a.example', tls: 'letsencrypt', kept: true },
      expires_at: '2026-04-01T00:00:00.000Z',
    },
  ])
  expect(host.orders).toHaveLength(1)
  expect(served()).toBe(before)
  expect(host.disk.all[VHOST]).not.toContain('changed by hand')
})

test('its plan orders nothing, and says why', async () => {
  const { steps } = await plan()

  expect(steps.map(({ effects, notes }) => ({ effects, notes }))).toEqual([
    {
      effects: [
        { action: 'create', kind: 'folder', name: '/var/cache/hosting/shop' },
        { action: 'run', kind: 'reload', name: 'nginx.service' },
        { action: 'change', kind: 'file', name: '/var/lib/hosting-agent/sites/a.example.json' },
      ],
      notes: [KEPT],
    },
  ])
})

test.each<[string, () => unknown]>([
  [
    'in the last third of its lifetime',
    () => Object.assign(host, { time: host.time + 61 * DAY_MS }),
  ],
  [
    'for other names than those of the site',
    async () => {
      const names = SiteNames.parse({ aliases: ['b.example'] })
      await writeSite(host, { ...(await getSite(host, 'a.example')), names })
      serveTokens(host, ['a.example', 'www.a.example', 'b.example'])
    },
  ],
  [
    'of another authority',
    () => Object.assign(host.settings, { acme_directory: 'https://other.example/directory' }),
  ],
  [
    'of an authority that nothing is known of',
    () => host.disk.drop('/var/lib/hosting-agent/certificate-orders.json'),
  ],
  ['for another key', () => host.disk.drop(`${FOLDER}/privkey.pem`)],
  ['before its lifetime begins', () => Object.assign(host, { time: host.time - DAY_MS })],
])('one %s is replaced', async (_, change) => {
  await change()
  const before = served()

  const [, result] = await issue(host, 'letsencrypt')

  expect(result).not.toHaveProperty('kept')
  expect(host.orders).toHaveLength(2)
  expect(served()).not.toBe(before)
})

test('one of an earlier version of the agent is kept if the authority suggests a time for it', async () => {
  host.disk.drop('/var/lib/hosting-agent/certificate-orders.json')
  const { serialNumber: serial } = new X509Certificate(String(served()))
  const at = new Date(host.time + 30 * DAY_MS).toISOString()
  const times = { 'a.example': { serial, at, check_at: at } }
  host.disk.putText('/var/lib/hosting-agent/renewal-times.json', JSON.stringify(times))

  const [, result] = await issue(host, 'letsencrypt')

  expect(result).toMatchObject({ kept: true })
  expect(host.orders).toHaveLength(1)
})

test('one that is not served fails the operation, and nothing is ordered', async () => {
  host.visits.set('https://a.example/', { failed: 'refused', ms: 0 })
  const before = served()

  const [, error] = await issue(host, 'letsencrypt')

  expect(error).toBe('TLS for a.example does not answer on this server')
  expect(host.orders).toHaveLength(1)
  expect(served()).toBe(before)
})

test('one that lacks a name that still fails is kept, too', async () => {
  authority(host, ({ names }) => ({ refused: names.map((name) => ({ name, reason: 'timeout' })) }))
  const names = SiteNames.parse({ aliases: ['dead.example'] })
  await writeSite(host, { ...(await getSite(host, 'a.example')), names })

  const [lines, result] = await issue(host, 'letsencrypt')

  expect(lines.at(-1)).toBe('Keeping the current certificate: it has all other names')
  expect(result).toMatchObject({ kept: true })
})
