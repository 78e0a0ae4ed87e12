import { beforeEach, expect, test } from 'bun:test'
import { tlsIssue } from '#agent/commands/tls.issue.ts'
import { findSite } from '#agent/os/site/sites.ts'
import { contextOf, outcome } from '#tests/support/agent/debian.ts'
import { issue, tlsSite } from '#tests/support/agent/tls-site.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { authorityPem, selfSignedPem } from '#tests/support/fixtures/certificates.ts'

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

test('undoes an interrupted change after a restart, once', async () => {
  await issue(host, 'self-signed')
  const before = host.disk.all
  await host.disk.write(`${FOLDER}/former.pem`, selfSignedPem, { mode: 0o600 })
  await host.disk.write(`${FOLDER}/fullchain.pem`, authorityPem)
  const params = { domain: 'a.example', tls: 'self-signed', email: 'a@a.example' } as const
  const [step] = (await tlsIssue.steps?.(params, host)) ?? []

  await step?.undo?.()
  await step?.undo?.()

  expect(host.disk.all).toEqual(before)
})

test('removes a certificate with its key', async () => {
  await issue(host, 'self-signed')

  expect(await issue(host, 'none')).toEqual([
    ['Removing the certificate of a.example', 'Serving the site without a certificate'],
    { domain: 'a.example', tls: 'none', expires_at: '' },
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
