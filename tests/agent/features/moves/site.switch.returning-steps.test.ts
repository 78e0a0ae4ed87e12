import { expect, test } from 'bun:test'
import { findSite } from '#agent/kernel/site/sites.ts'
import { shop } from '#tests/support/agent/debian.ts'
import { forwardingServer, switched, VHOST } from '#tests/support/agent/moving.ts'
import { selfSignedPem } from '#tests/support/fixtures/certificates.ts'
import { ANNA } from '#tests/support/ssh-keys.ts'

const { domain } = shop

test('a copy that only forwards answers the trial, and requests its own certificate, while it returns', async () => {
  const { host, copy } = await forwardingServer()

  const [lines] = await switched(host, 'returning')

  expect(lines).toEqual([
    'Forwarding shop.example until it moves back',
    'Checking the certificate of shop.example',
    'Serving the site without a certificate',
    'Recording the state of shop.example',
  ])
  const moving = { to: '10.0.0.2', parted: true, from: ['10.0.0.2'] }
  expect(await findSite(host, domain, 'moved')).toEqual({ ...copy, moving })
  expect(await findSite(host, domain)).toBeUndefined()
  const vhost = host.disk.text(VHOST) ?? ''
  expect(vhost.split('\n').filter((line) => line.includes('proxy_pass'))).toEqual([
    '        proxy_pass http://10.0.0.2;',
  ])
  expect(vhost).toContain('        return 200 arriving;\n')
})

test('a copy that returns gets a certificate with the names that it has now', async () => {
  const names = { www: 'serve' as const, aliases: ['alias.example'], redirects: [] }
  const { host } = await forwardingServer({ tls: 'self-signed', names })
  host.answer('openssl req', selfSignedPem)
  host.pages.set(`https://${domain}/`, 'of the other server')

  const [, result] = await switched(host, 'returning')

  expect(result).toMatchObject({ domain, certificate: expect.stringContaining('BEGIN CERT') })
  const [request] = host.runs.filter(({ line }) => line.startsWith('openssl req'))
  expect(request?.line).toContain('DNS:alias.example')
  expect(host.runs.filter(({ line }) => line.includes(' wp '))).toEqual([])
})

test('a copy that returns admits no login that was possible before the move', async () => {
  const access = [{ id: 1, person: 'Anna', kind: 'sftp' as const, expires_at: null, keys: [ANNA] }]
  const { host } = await forwardingServer({ access })

  await switched(host, 'arriving')

  expect(host.disk.find('/etc/hosting/ssh/keys/shop')).toBeUndefined()
  expect((await findSite(host, domain))?.access).toBeUndefined()
})
