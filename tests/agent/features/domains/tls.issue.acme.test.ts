import { beforeEach, expect, test } from 'bun:test'
import { needsRenewal } from '#agent/features/domains/certificate-coverage.ts'
import { readFailedRequests } from '#agent/features/domains/failed-requests.ts'
import { listDue } from '#agent/features/domains/renewal.ts'
import * as nginx from '#agent/features/web/nginx.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import { authority, issue, tlsSite } from '#tests/support/agent/tls-site.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { authorityPem } from '#tests/support/fixtures/certificates.ts'

const FOLDER = '/etc/hosting/tls/a.example'

let host: FakeHost
beforeEach(async () => {
  host = await tlsSite()
})

const tokens = () => Object.keys(host.disk.all).filter((path) => path.includes('acme-challenge'))

test('requests one certificate for both names and leaves no token behind', async () => {
  authority(host, () => ({ chain: authorityPem }))

  const [lines, result] = await issue(host, 'letsencrypt')

  expect(result).toMatchObject({ tls: 'letsencrypt' })
  expect(lines[1]).toBe('Requesting a certificate for a.example and www.a.example')
  expect(host.orders).toMatchObject([
    {
      directory: 'https://acme.example/directory',
      email: 'ops@a.example',
      names: ['a.example', 'www.a.example'],
      timeout_ms: 120_000,
    },
  ])
  expect(host.orders[0]?.private_key).toBe(host.disk.all[`${FOLDER}/privkey.pem`] ?? '')
  const account = host.disk.find('/var/lib/hosting-agent/acme/account.pem')
  expect(account?.options).toEqual({ mode: 0o600 })
  expect(tokens()).toEqual([])
})

test('keeps account and key when it renews', async () => {
  authority(host, () => ({ chain: authorityPem }))
  await issue(host, 'letsencrypt')
  host.runs.length = 0

  await issue(host, 'letsencrypt')

  const [first, second] = host.orders
  expect(second?.account_key).toBe(first?.account_key ?? '')
  expect(second?.private_key).toBe(first?.private_key ?? '')
  expect(host.ran.some((line) => line.includes('eval-file'))).toBe(false)
})

test('requests a certificate without www when the authority cannot reach that name', async () => {
  authority(host, ({ names }) =>
    names.length === 2
      ? { refused: [{ name: 'www.a.example', reason: 'no address' }] }
      : { chain: authorityPem },
  )

  const [lines] = await issue(host, 'letsencrypt')

  expect(lines).toContain('Leaving out www.a.example: no address')
  expect(host.orders.map(({ names }) => names)).toEqual([
    ['a.example', 'www.a.example'],
    ['a.example'],
  ])
})

test('requests no certificate for names that this server does not serve', async () => {
  host.net.probe = async () => ({ status: 404, body: 'no', headers: {} })

  const [, , warnings] = await issue(host, 'letsencrypt')

  const message =
    'The certificate for a.example was refused: this server answers 404 instead of the token that the authority would request'
  expect(warnings).toEqual([{ code: 'certificate_refused', message }])
  expect(host.orders).toEqual([])
})

const RECORD = '/var/lib/hosting-agent/sites/a.example.json'
const TRIES = '/var/lib/hosting-agent/certificate-tries.json'
const NXDOMAIN = 'The certificate for a.example was refused: DNS problem: NXDOMAIN'
const refusing = () => ({ refused: [{ name: 'a.example', reason: 'DNS problem: NXDOMAIN' }] })

test("a refusal succeeds with the authority's message as a warning, and keeps the requested certificate recorded", async () => {
  const { [RECORD]: record, ...before } = host.disk.all
  authority(host, refusing)
  const [lines, result, warnings] = await issue(host, 'letsencrypt')

  expect(result).toEqual({ domain: 'a.example', tls: 'letsencrypt', expires_at: '' })
  expect(warnings).toEqual([{ code: 'certificate_refused', message: NXDOMAIN }])
  expect(lines.at(-1)).toBe(`No new certificate: ${NXDOMAIN}`)
  expect(JSON.parse(String(host.disk.all[RECORD]))).toEqual({
    ...JSON.parse(String(record)),
    ...{ tls: 'letsencrypt', email: 'ops@a.example' },
  })
  const { '/var/lib/hosting-agent/acme/account.pem': _, [RECORD]: __, ...after } = host.disk.all
  delete after['/var/lib/hosting-agent/acme']
  delete after[TRIES]
  delete after['/var/lib/hosting-agent/certificate-validations.json']
  expect(after).toEqual(before)
})

test('retries 10, 30 and 60 minutes after a refusal, and then at growing intervals', async () => {
  authority(host, refusing)
  const due = async () => (await listDue(host, { refused: true })).length
  const waits: number[] = []
  for (let tries = 0; tries < 9; tries++) {
    await issue(host, 'letsencrypt')
    expect(await due()).toBe(0)
    const from = host.time
    while ((await due()) === 0) host.time += 60_000
    waits.push((host.time - from) / 60_000)
  }
  expect(waits).toEqual([10, 30, 60, 120, 240, 480, 720, 1440, 1440])
})

test('at a limit of the authority, waits as long as it says, and counts no failed validation', async () => {
  const reason = 'the authority limits requests: too many certificates'
  authority(host, () => ({ limited: { reason, retry_after_s: 7200 } }))
  const [, , warnings] = await issue(host, 'letsencrypt')

  const message = `The certificate for a.example was refused: ${reason}`
  expect(warnings).toEqual([{ code: 'certificate_refused', message }])
  expect(host.orders).toHaveLength(1)
  const next_at = new Date(host.time + 7_200_000).toISOString()
  expect(await readFailedRequests(host)).toEqual({
    'a.example': { failures: 1, reason: message, next_at },
  })
  expect(host.disk.find('/var/lib/hosting-agent/certificate-validations.json')).toBeUndefined()
})

test('asks an authority that cannot be reached once an hour, however long it is down', async () => {
  authority(host, () => ({ unreachable: 'acme.example cannot be reached: timeout' }))
  const message =
    'The certificate for a.example was refused: acme.example cannot be reached: timeout'
  const waits: number[] = []
  for (let tries = 0; tries < 12; tries++) {
    await issue(host, 'letsencrypt')
    const { next_at = '' } = (await readFailedRequests(host))['a.example'] ?? {}
    waits.push((Date.parse(next_at) - host.time) / 60_000)
    host.time = Date.parse(next_at)
  }
  expect(waits).toEqual([10, 30, ...Array(10).fill(60)])
  const next_at = new Date(host.time).toISOString()
  expect(await readFailedRequests(host)).toEqual({
    'a.example': { failures: 3, reason: message, next_at },
  })
  expect(host.disk.find('/var/lib/hosting-agent/certificate-validations.json')).toBeUndefined()

  authority(host, refusing)
  await issue(host, 'letsencrypt')
  expect(await readFailedRequests(host)).toMatchObject({ 'a.example': { failures: 4 } })
})

test('clears a refusal when the certificate is issued or no longer wanted', async () => {
  authority(host, refusing)
  await issue(host, 'letsencrypt')
  expect(Object.keys(await readFailedRequests(host))).toEqual(['a.example'])
  authority(host, () => ({ chain: authorityPem }))
  await issue(host, 'letsencrypt')
  expect(await readFailedRequests(host)).toEqual({})

  authority(host, refusing)
  await issue(host, 'letsencrypt')
  await issue(host, 'none')
  expect(await readFailedRequests(host)).toEqual({})
})

test('treats an unreachable authority as a temporary refusal', async () => {
  host.acme.order = async () => {
    throw new Error('acme.example cannot be reached')
  }
  const [, result, warnings] = await issue(host, 'letsencrypt')
  expect(result).toMatchObject({ tls: 'letsencrypt' })
  const message = 'The certificate for a.example was refused: acme.example cannot be reached'
  expect(warnings).toEqual([{ code: 'certificate_refused', message }])
})

test('keeps a self-signed certificate after a refusal, and sends no HSTS for it', async () => {
  await issue(host, 'self-signed')
  authority(host, refusing)
  await issue(host, 'letsencrypt')

  const site = await getSite(host, 'a.example')
  expect(site.tls).toBe('letsencrypt')
  expect(await needsRenewal(host, site)).toBe(true)
  await nginx.apply(host, site, await nginx.certificateOf(host, site.domain)).apply()
  const vhost = host.disk.all['/etc/nginx/sites-available/hosting-a.example.conf'] ?? ''
  expect(vhost).toContain('listen 443 ssl')
  expect(vhost).not.toContain('Strict-Transport-Security')
})
