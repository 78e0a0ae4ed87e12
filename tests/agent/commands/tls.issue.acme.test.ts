import { beforeEach, expect, test } from 'bun:test'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { authorityPem } from '#tests/support/fixtures/certificates.ts'
import { authority, issue, tlsSite } from './tls-site.ts'

const FOLDER = '/etc/hosting/tls/a.example'

let host: FakeHost
beforeEach(async () => {
  host = await tlsSite()
})

const tokens = () => Object.keys(host.disk.all).filter((path) => path.includes('acme-challenge'))

test('orders one for both names and leaves no token behind', async () => {
  authority(host, () => ({ chain: authorityPem }))

  const [lines, result] = await issue(host, 'letsencrypt')

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
  authority(host, () => ({ chain: authorityPem }))
  await issue(host, 'letsencrypt')
  host.runs.length = 0

  await issue(host, 'letsencrypt')

  const [first, second] = host.orders
  expect(second?.account_key).toBe(first?.account_key ?? '')
  expect(second?.private_key).toBe(first?.private_key ?? '')
  expect(host.ran.some((line) => line.includes('eval-file'))).toBe(false)
})

test('goes on without www when the authority cannot reach it', async () => {
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

test('asks the authority for nothing that this server does not serve', async () => {
  host.net.probe = async () => ({ status: 404, body: 'no', headers: {} })

  const [, error] = await issue(host, 'letsencrypt')

  expect(error).toBe(
    'The certificate for a.example was refused: this server answers 404 and not the token where the authority would ask',
  )
  expect(host.orders).toEqual([])
})

test("leaves everything as it was, and says the authority's words, when it refuses", async () => {
  const before = host.disk.all
  authority(host, () => ({ refused: [{ name: 'a.example', reason: 'DNS problem: NXDOMAIN' }] }))

  const [, error] = await issue(host, 'letsencrypt')

  expect(error).toBe('The certificate for a.example was refused: DNS problem: NXDOMAIN')
  const { '/var/lib/hosting-agent/acme/account.pem': _, ...after } = host.disk.all
  delete after['/var/lib/hosting-agent/acme']
  expect(after).toEqual(before)
})
