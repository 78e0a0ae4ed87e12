import { beforeEach, expect, test } from 'bun:test'
import { tlsIssue } from '#agent/commands/tls.issue.ts'
import type { AcmeOrder, AcmeOutcome } from '#agent/host/acme-port.ts'
import { renewDue } from '#agent/os/certificates.ts'
import { findSite, writeSite } from '#agent/os/sites.ts'
import { TlsMode } from '#shared/fields.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { authorityPem, selfSignedPem } from '#tests/support/fixtures/certificates.ts'
import { contextOf, debian, outcome } from './debian.ts'

const FOLDER = '/etc/hosting/tls/a.example'
const VHOST = '/etc/nginx/sites-available/hosting-a.example.conf'
const EXPIRES = /^2126-/
const WP_CLI = '/usr/bin/php8.2'

let host: FakeHost
beforeEach(async () => {
  host = debian()
  const site = { domain: 'a.example', php: '8.2', tier: 'small', tls: 'none' } as const
  await writeSite(host, { ...site, user: 'shop', email: 'a@a.example' })
  host.answer('openssl req', selfSignedPem)
  host.pages.set('https://a.example/', 'front page')
  serveTokens(host, ['a.example', 'www.a.example'])
})

/** nginx of the test: what lies in the ACME folder is served for these names. */
function serveTokens({ disk, net, pages }: FakeHost, names: readonly string[]) {
  const probe = net.probe
  net.probe = async (asked) => {
    const text = await disk.read(`/var/lib/hosting-acme${asked.path}`)
    if (text !== undefined && names.includes(asked.host))
      pages.set(`http://${asked.host}${asked.path}`, text)
    return probe(asked)
  }
}

function answer(outcomeOf: (order: AcmeOrder) => AcmeOutcome) {
  host.acme.order = async (order) => {
    host.orders.push(order)
    await order.present('token_1', 'token_1.thumbprint')
    return outcomeOf(order)
  }
}

const issue = (tls: string) => {
  const params = { domain: 'a.example', tls: TlsMode.parse(tls), email: 'ops@a.example' }
  return outcome(tlsIssue.run(params, contextOf(host)))
}

const tokens = () => Object.keys(host.disk.all).filter((path) => path.includes('acme-challenge'))
const secrets = () =>
  ['fullchain', 'privkey'].map((name) => host.disk.nodes.get(`${FOLDER}/${name}.pem`)?.options)

test('signs a certificate itself and serves it', async () => {
  const [lines, result] = await issue('self-signed')

  expect(lines).toEqual([
    'Certifying a.example',
    'Making a self-signed certificate',
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

test('orders one for both names and leaves no token behind', async () => {
  answer(() => ({ chain: authorityPem }))

  const [lines, result] = await issue('letsencrypt')

  expect(result).toMatchObject({ tls: 'letsencrypt' })
  expect(lines[1]).toBe('Asking the certificate authority for a.example and www.a.example')
  expect(host.orders).toMatchObject([
    {
      directory: 'https://acme.example/directory',
      email: 'ops@a.example',
      names: ['a.example', 'www.a.example'],
      timeout_ms: 120_000,
    },
  ])
  expect(host.orders[0]?.private_key).toBe(host.disk.all[`${FOLDER}/privkey.pem`] ?? '')
  const account = host.disk.nodes.get('/var/lib/hosting-agent/acme/account.pem')
  expect(account?.options).toEqual({ mode: 0o600 })
  expect(tokens()).toEqual([])
})

test('keeps account and key when it renews', async () => {
  answer(() => ({ chain: authorityPem }))
  await issue('letsencrypt')
  host.runs.length = 0

  await issue('letsencrypt')

  const [first, second] = host.orders
  expect(second?.account_key).toBe(first?.account_key ?? '')
  expect(second?.private_key).toBe(first?.private_key ?? '')
  expect(host.ran.some((line) => line.includes('eval-file'))).toBe(false)
})

test('goes on without www when the authority cannot reach it', async () => {
  answer(({ names }) =>
    names.length === 2
      ? { refused: [{ name: 'www.a.example', reason: 'no address' }] }
      : { chain: authorityPem },
  )

  const [lines] = await issue('letsencrypt')

  expect(lines).toContain('Leaving out www.a.example: no address')
  expect(host.orders.map(({ names }) => names)).toEqual([
    ['a.example', 'www.a.example'],
    ['a.example'],
  ])
})

test('asks the authority for nothing that this server does not serve', async () => {
  host = debian(host)
  host.net.probe = async () => ({ status: 404, body: 'no', headers: {} })

  const [, error] = await issue('letsencrypt')

  expect(error).toBe(
    'The certificate for a.example was refused: this server answers 404 and not the token where the authority would ask',
  )
  expect(host.orders).toEqual([])
})

test("leaves everything as it was, and says the authority's words, when it refuses", async () => {
  const before = host.disk.all
  answer(() => ({ refused: [{ name: 'a.example', reason: 'DNS problem: NXDOMAIN' }] }))

  const [, error] = await issue('letsencrypt')

  expect(error).toBe('The certificate for a.example was refused: DNS problem: NXDOMAIN')
  const { '/var/lib/hosting-agent/acme/account.pem': _, ...after } = host.disk.all
  delete after['/var/lib/hosting-agent/acme']
  expect(after).toEqual(before)
})

test.each([
  ['nginx refuses it', () => host.fail('nginx -t', 'cannot load certificate')],
  ['nobody shakes hands', () => host.pages.delete('https://a.example/')],
])('puts the former certificate back when %s', async (_, spoil) => {
  await issue('self-signed')
  const before = host.disk.all
  host.answer('openssl req', authorityPem)
  spoil()

  const [lines, result] = await issue('self-signed')

  expect(result).toBeString()
  expect(lines).toContain('Undoing: Certifying a.example')
  expect(host.disk.all).toEqual(before)
})

test.each([
  ['nobody shakes hands', 'does not answer', () => host.pages.delete('https://a.example/')],
  ['WordPress keeps its address', 'was not changed', () => host.fail(WP_CLI, 'broken')],
])('leaves no certificate of a first one when %s', async (_, words, spoil) => {
  spoil()

  const [, error] = await issue('self-signed')

  expect(error).toContain(words)
  expect(Object.keys(host.disk.all).filter((path) => path.startsWith(FOLDER))).toEqual([])
  expect(host.disk.all[VHOST]).not.toContain('ssl_certificate')
  expect(await findSite(host, 'a.example')).toMatchObject({ tls: 'none' })
})

test('undoes after a restart what was cut off, and nothing twice', async () => {
  await issue('self-signed')
  const before = host.disk.all
  await host.disk.write(`${FOLDER}/former.pem`, selfSignedPem, { mode: 0o600 })
  await host.disk.write(`${FOLDER}/fullchain.pem`, authorityPem)
  const params = { domain: 'a.example', tls: 'self-signed', email: 'a@a.example' } as const
  const [step] = tlsIssue.steps?.(params, host) ?? []

  await step?.undo?.()
  await step?.undo?.()

  expect(host.disk.all).toEqual(before)
})

test('takes a certificate away, with its key', async () => {
  await issue('self-signed')

  expect(await issue('none')).toEqual([
    ['Taking the certificate of a.example away', 'Serving the site without a certificate'],
    { domain: 'a.example', tls: 'none', expires_at: '' },
  ])
  expect(Object.keys(host.disk.all).filter((path) => path.startsWith(FOLDER))).toEqual([])
  expect(host.disk.all[VHOST]).not.toContain('ssl_certificate')
})

test('refuses a site that this agent did not make before it says anything', async () => {
  const params = { domain: 'b.example', tls: 'none', email: 'a@b.example' } as const

  expect(await outcome(tlsIssue.run(params, contextOf(host)))).toEqual([
    [],
    'Site b.example not found',
  ])
})

test('calls a certificate due in the last third of its life, and one that is missing', async () => {
  const due = async () => (await renewDue(host)).map(({ domain, tls }) => `${domain} ${tls}`)
  expect(await due()).toEqual([])
  await issue('self-signed')
  expect(await due()).toEqual([])

  host.time = Date.UTC(2094, 0, 1)
  expect(await due()).toEqual(['a.example self-signed'])

  host.time = Date.UTC(2026, 0, 1)
  await host.disk.remove(FOLDER)
  expect(await due()).toEqual(['a.example self-signed'])
})
