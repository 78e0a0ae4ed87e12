import { beforeEach, describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { commands } from '#agent/commands.ts'
import { restoreCertificate } from '#agent/features/domains/change-certificate.ts'
import {
  readFailedRequests,
  recordLeftOutNames,
  recordRefusal,
} from '#agent/features/domains/failed-requests.ts'
import { listDue } from '#agent/features/domains/renewal.ts'
import { tlsIssue } from '#agent/features/domains/tls.issue.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { keepFormerCertificate } from '#agent/kernel/site/certificate-files.ts'
import { findSite, getSite, writeSite } from '#agent/kernel/site/sites.ts'
import { SiteNames } from '#shared/kernel/site-names.ts'
import { contextOf, outcome } from '#tests/support/agent/debian.ts'
import {
  authority,
  issue,
  issuing,
  resolving,
  serveTokens,
  tlsSite,
} from '#tests/support/agent/tls-site.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { authorityPem, namedPem, singlePem } from '#tests/support/fixtures/certificates.ts'

const FOLDER = '/etc/hosting/tls/a.example'
const VHOST = '/etc/nginx/sites-available/hosting-a.example.conf'
const EXPIRES = /^2126-/
const WP_CLI = '/usr/bin/php8.2'

let host: FakeHost
beforeEach(async () => {
  host = await tlsSite()
})

const secrets = () =>
  ['fullchain', 'privkey'].map((name) => host.disk.find(`${FOLDER}/${name}.pem`)?.options)

test('serves a certificate that it signed itself', async () => {
  const [lines, result] = await issue(host, 'self-signed')

  expect(lines).toEqual([
    'Requesting a certificate for a.example',
    'Creating a self-signed certificate',
    'Serving the certificate',
  ])
  expect(result).toMatchObject({ domain: 'a.example', tls: 'self-signed' })
  expect(result).toMatchObject({ expires_at: expect.stringMatching(EXPIRES) })
  expect(host.ran.find((line) => line.startsWith('openssl'))).toBe(
    `openssl req -x509 -new -sha256 -key ${FOLDER}/privkey.pem -days 825 -subj /CN=a.example -addext subjectAltName=DNS:a.example,DNS:www.a.example`,
  )
  expect(secrets()).toEqual([{ mode: 0o600 }, { mode: 0o600 }])
  expect(host.disk.all[VHOST]).toContain(`ssl_certificate ${FOLDER}/fullchain.pem;`)
  expect(host.ran.at(-1)).toContain('eval-file')
  expect(await findSite(host, 'a.example')).toMatchObject({
    tls: 'self-signed',
    email: 'ops@a.example',
  })
})

test.each([
  ['nginx refuses it', () => host.fail('nginx -t', 'cannot load certificate')],
  [
    'nobody shakes hands',
    () => host.visits.set('https://a.example/', { failed: 'refused', ms: 0 }),
  ],
])('restores the previous certificate when %s', async (_, spoil) => {
  await issue(host, 'self-signed')
  const before = host.disk.all
  host.answer('openssl req', authorityPem)
  spoil()

  const [lines, result] = await issue(host, 'self-signed')

  expect(result).toBeString()
  expect(lines).toContain('Undoing: Requesting a certificate for a.example')
  expect(host.disk.all).toEqual(before)
})

test.each([
  [
    'nobody shakes hands',
    'does not answer',
    () => host.visits.set('https://a.example/', { failed: 'refused', ms: 0 }),
  ],
  ['WordPress keeps its address', 'was not changed', () => host.fail(WP_CLI, 'broken')],
])('leaves no certificate on the first attempt when %s', async (_, words, spoil) => {
  spoil()

  const [, error] = await issue(host, 'self-signed')

  expect(error).toContain(words)
  expect(Object.keys(host.disk.all).filter((path) => path.startsWith(FOLDER))).toEqual([])
  expect(host.disk.all[VHOST]).not.toContain('ssl_certificate')
  expect(await findSite(host, 'a.example')).toMatchObject({ tls: 'none' })
})

test('removes a certificate with its key', async () => {
  await issue(host, 'self-signed')

  expect(await issue(host, 'none')).toEqual([
    ['Removing the certificate of a.example', 'Serving the site without a certificate'],
    { domain: 'a.example', tls: 'none', expires_at: '' },
    [],
  ])
  expect(Object.keys(host.disk.all).filter((path) => path.startsWith(FOLDER))).toEqual([])
  expect(host.disk.all[VHOST]).not.toContain('ssl_certificate')
})

test('refuses a discovered site before its first event', async () => {
  const params = { domain: 'b.example', tls: 'none', email: 'a@b.example' } as const

  expect(await outcome(tlsIssue.run(params, contextOf(host)))).toEqual([
    [],
    'Site b.example not found',
  ])
})

const NAMED = { names: SiteNames.parse({ aliases: ['b.example', 'dead.example'] }) }
const ALL = ['a.example', 'www.a.example', 'b.example', 'dead.example']

/** The site with two aliases, all served by this server. */
async function withAliases(): Promise<void> {
  await writeSite(host, { ...(await getSite(host, 'a.example')), ...NAMED, tls: 'letsencrypt' })
  serveTokens(host, ALL)
}

const reports = (host: FakeHost) => readFailedRequests(host).then((tries) => Object.keys(tries))

test('leaves out a dead alias with a warning, and tries it again at growing intervals', async () => {
  await withAliases()
  authority(host, ({ names }) =>
    names.includes('dead.example')
      ? { refused: [{ name: 'dead.example', reason: 'connection refused' }] }
      : { chain: authorityPem },
  )
  const [, , warnings] = await issue(host, 'letsencrypt')

  expect(host.orders.map(({ names }) => names)).toEqual([ALL, ALL.slice(0, 3)])
  const message = 'The certificate leaves out dead.example (connection refused)'
  expect(warnings).toEqual([{ code: 'certificate_refused', message }])
  expect(await reports(host)).toEqual(['dead.example'])
  expect(await listDue(host, { refused: true })).toEqual([])
  host.time += 10 * 60_000
  expect(await listDue(host, { refused: true })).toMatchObject([{ domain: 'a.example' }])
})

test('asks the authority for no name without a record in DNS', async () => {
  await withAliases()
  resolving(host, { 'dead.example': [] })
  authority(host, () => ({ chain: authorityPem }))
  const [, , warnings] = await issue(host, 'letsencrypt')

  expect(host.orders.map(({ names }) => names)).toEqual([ALL.slice(0, 3)])
  expect(warnings).toMatchObject([{ message: expect.stringContaining('no A and no AAAA record') }])
})

test('asks the authority for no name whose record leads to another server', async () => {
  await withAliases()
  resolving(host, { 'b.example': ['5.9.0.1'], 'dead.example': ['5.9.0.2'] })
  host.visitor.visit = async (visits) => {
    const body = visits[0]?.path.split('/').at(-1) ?? ''
    return visits.map(({ address }) =>
      address === '5.9.0.1'
        ? { status: 200, body, headers: {}, ms: 1 }
        : { status: 404, body: '', headers: {}, ms: 1 },
    )
  }
  authority(host, () => ({ chain: authorityPem }))
  const [, , warnings] = await issue(host, 'letsencrypt')

  expect(host.orders.map(({ names }) => names)).toEqual([ALL.slice(0, 3)])
  const reason =
    'its DNS record leads to 5.9.0.2, which answers 404 instead of the token of this server'
  const message = `The certificate leaves out dead.example (${reason})`
  expect(warnings).toEqual([{ code: 'certificate_refused', message }])
})

test('at most four failed validations of a name within an hour', async () => {
  await withAliases()
  authority(host, ({ names }) => ({ refused: names.map((name) => ({ name, reason: 'timeout' })) }))
  for (let tries = 0; tries < 9; tries++) {
    await issue(host, 'letsencrypt')
    host.time += 5 * 60_000
  }
  expect(host.orders).toHaveLength(4)

  const [, , warnings] = await issue(host, 'letsencrypt')
  expect(warnings).toMatchObject([
    { message: expect.stringContaining('refused it four times within an hour') },
  ])
  host.time += 16 * 60_000
  await issue(host, 'letsencrypt')
  expect(host.orders).toHaveLength(5)
})

test('a name that fails again costs no certificate with the names of the present one', async () => {
  await withAliases()
  authority(host, () => ({ chain: namedPem }))
  await issue(host, 'letsencrypt')
  host.orders.length = 0
  authority(host, () => ({ refused: [{ name: 'dead.example', reason: 'timeout' }] }))

  const [lines] = await issue(host, 'letsencrypt')

  expect(host.orders).toHaveLength(1)
  expect(lines).toContain('Keeping the current certificate: it has all other names')
})

const REQUEST = { domain: 'a.example', tls: 'letsencrypt', email: 'ops@a.example' } as const

describe('a change that was cut off', () => {
  beforeEach(() => {
    authority(host, () => ({ chain: namedPem }))
  })

  const finished = (since = host.time, params: Parameters<typeof tlsIssue.run>[0] = REQUEST) =>
    tlsIssue.finished?.(params, host, since)

  test('a certificate that was complete before the agent ended has its result', async () => {
    const [, result] = await issue(host, 'letsencrypt')

    expect(result).toMatchObject({ expires_at: expect.stringMatching(/^2126-/) })
    expect(await finished()).toEqual(result as never)
  })

  test('the certificate of an earlier request is not that of a renewal', async () => {
    await issue(host, 'letsencrypt')
    host.time += 1000

    expect(await finished()).toBeUndefined()
  })

  test('a former certificate that was restored is not the requested one', async () => {
    await issue(host, 'letsencrypt')
    host.time = Date.UTC(2027, 0, 1)
    await keepFormerCertificate(host, 'a.example', { tls: 'letsencrypt', email: REQUEST.email })
    await restoreCertificate(host, 'a.example')

    expect(await finished()).toBeUndefined()
  })

  test.each<[string, string, boolean]>([
    ['in the last hour', '2026-11-26T00:44:30Z', true],
    ['at midnight', '2026-11-26T23:59:59Z', true],
    ['two days ago', '2026-11-27T23:44:30Z', false],
  ])('a certificate whose lifetime begins %s may be of this request', async (_, now, is) => {
    authority(host, () => ({ chain: singlePem }))
    host.time = Date.parse(now)

    await issue(host, 'letsencrypt')

    expect((await finished()) !== undefined).toBe(is)
  })

  test('another request, or one whose change can still be undone, has no result', async () => {
    await issue(host, 'letsencrypt')

    expect(await finished(host.time, { ...REQUEST, tls: 'self-signed' })).toBeUndefined()
    expect(await finished(host.time, { ...REQUEST, email: 'b@a.example' })).toBeUndefined()
    expect(await finished(host.time, { ...REQUEST, tls: 'none' })).toBeUndefined()
    await keepFormerCertificate(host, 'a.example', {})
    expect(await finished()).toBeUndefined()
  })

  test('the removal of a certificate has its result', async () => {
    await issue(host, 'letsencrypt')
    await issue(host, 'none')

    expect(await finished(host.time, { ...REQUEST, tls: 'none' })).toEqual({
      ...{ domain: 'a.example', tls: 'none', expires_at: '' },
    })
  })

  test('its missing names are reported and tried again, and its former refusal is forgotten', async () => {
    const names = SiteNames.parse({ aliases: ['b.example', 'dead.example'] })
    await writeSite(host, { ...(await getSite(host, 'a.example')), names })
    await issue(host, 'letsencrypt')
    await recordRefusal(host, 'a.example', 'too many requests')
    await recordLeftOutNames(
      host,
      ['b.example', 'dead.example'],
      [{ name: 'b.example', reason: 'no record' }],
    )

    const warnings = await tlsIssue.missing?.(REQUEST, host)

    const reason = 'the agent was restarted before the certificate was issued'
    expect(warnings).toEqual([
      {
        code: 'certificate_refused',
        message: `The certificate leaves out dead.example (${reason})`,
      },
    ])
    const next_at = new Date(host.time + 10 * 60_000).toISOString()
    expect(await readFailedRequests(host)).toEqual({
      'dead.example': { failures: 1, reason, next_at },
    })
  })

  test('its other name of the pair is tried again without a warning', async () => {
    authority(host, () => ({ chain: singlePem }))
    await issue(host, 'letsencrypt')
    await recordLeftOutNames(
      host,
      ['www.a.example'],
      [{ name: 'www.a.example', reason: 'no record' }],
    )

    expect(await tlsIssue.missing?.(REQUEST, host)).toEqual([])

    expect(await readFailedRequests(host)).toMatchObject({
      'www.a.example': { reason: 'no record' },
    })
    host.time += 60 * 60_000
    expect(await listDue(host)).toMatchObject([{ domain: 'a.example' }])
  })
})

const DAY_MS = 86_400_000
const KEPT =
  'Keeping the current certificate: it is valid until 2026-04-01T00:00:00.000Z for exactly these names, and not due for renewal'

describe('a certificate that is kept', () => {
  beforeEach(async () => {
    issuing(host)
    await issue(host, 'letsencrypt')
  })

  const served = () => host.disk.all[`${FOLDER}/fullchain.pem`]
  const plan = () => {
    const runner = new Runner({ host, commands, report: () => undefined })
    return runner.plan('tls.issue', {
      domain: 'a.example',
      tls: 'letsencrypt',
      email: 'b@a.example',
    })
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
      [],
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

  test('one without a note of its authority, as in a restored site, is kept if the authority suggests a time for it', async () => {
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
    authority(host, ({ names }) => ({
      refused: names.map((name) => ({ name, reason: 'timeout' })),
    }))
    const names = SiteNames.parse({ aliases: ['dead.example'] })
    await writeSite(host, { ...(await getSite(host, 'a.example')), names })

    const [lines, result] = await issue(host, 'letsencrypt')

    expect(lines.at(-1)).toBe('Keeping the current certificate: it has all other names')
    expect(result).toMatchObject({ kept: true })
  })
})
