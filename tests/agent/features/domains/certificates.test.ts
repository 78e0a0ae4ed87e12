import { expect, test } from 'bun:test'
import { listDue } from '#agent/features/domains/renewal.ts'
import { authority, issue, tlsSite } from '#tests/support/agent/tls-site.ts'
import { authorityPem } from '#tests/support/fixtures/certificates.ts'

const FOLDER = '/etc/hosting/tls/a.example'

test('a certificate is due in the last third of its validity, and when it is missing', async () => {
  const host = await tlsSite()
  const due = async () => (await listDue(host)).map(({ domain, tls }) => `${domain} ${tls}`)
  expect(await due()).toEqual([])
  await issue(host, 'self-signed')
  expect(await due()).toEqual([])

  host.time = Date.UTC(2094, 0, 1)
  expect(await due()).toEqual(['a.example self-signed'])

  host.time = Date.UTC(2026, 0, 1)
  await host.disk.remove(FOLDER)
  expect(await due()).toEqual(['a.example self-signed'])
})

test('a new pair that does not work is never installed', async () => {
  const host = await tlsSite()
  const refuse = () => Promise.reject(new Error('key values mismatch'))
  const { handshake } = host.visitor
  const message =
    'The new certificate for a.example does not work with its key: key values mismatch'
  authority(host, () => ({ chain: authorityPem }))

  host.visitor.handshake = refuse
  const [, first] = await issue(host, 'letsencrypt')
  const left = Object.keys(host.disk.all).filter((path) => path.startsWith(FOLDER))
  host.visitor.handshake = handshake
  await issue(host, 'self-signed')
  const [disk, ran] = [host.disk.all, host.ran.length]
  host.visitor.handshake = refuse
  const [, second] = await issue(host, 'letsencrypt')

  expect([first, second, left]).toEqual([message, message, []])
  const changes = Object.entries(host.disk.all).filter(([path, text]) => disk[path] !== text)
  expect(changes).toEqual([])
  expect(host.ran.slice(ran)).toEqual([])
})
