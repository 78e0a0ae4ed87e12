import { expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { awaitServed, provePair } from '#agent/features/domains/handshake.ts'
import { FakeHost } from '#tests/support/fake-host.ts'
import { authorityPem } from '#tests/support/fixtures/certificates.ts'

const { fingerprint256 } = new X509Certificate(authorityPem)
const served = (fingerprint: string) => ({ status: 503, headers: {}, body: '', ms: 1, fingerprint })
const OTHER = 'AA:BB'

test('waits until nginx presents the new certificate, whatever PHP answers', async () => {
  const host = new FakeHost()
  host.visits.set('https://a.example/', served(OTHER))
  const { sleep } = host.clock
  let pauses = 0
  Object.assign(host.clock, {
    sleep: async (ms: number) => {
      pauses += 1
      if (pauses === 3) host.visits.set('https://a.example/', served(fingerprint256))
      await sleep(ms)
    },
  })

  await awaitServed(host, 'a.example', authorityPem)

  expect(pauses).toBe(3)
  expect(new Set(host.visited)).toEqual(
    new Set(['https://a.example/.well-known/acme-challenge/handshake']),
  )
})

test.each([
  [served(OTHER), 'TLS for a.example has another certificate on this server'],
  [{ failed: 'refused' as const, ms: 0 }, 'TLS for a.example does not answer on this server'],
])('fails after some seconds for %j', async (visited, reason) => {
  const host = new FakeHost()
  host.visits.set('https://a.example/', visited)
  const started = host.time

  await expect(awaitServed(host, 'a.example', authorityPem)).rejects.toThrow(reason)

  expect(host.time - started).toBe(4900)
})

test.each([
  [async () => fingerprint256, undefined],
  [async () => OTHER, 'a client gets another certificate'],
  [() => Promise.reject(new Error('key values mismatch')), 'key values mismatch'],
])('a pair is proven by what a client gets (%#)', async (handshake, reason) => {
  const host = new FakeHost()
  host.disk.putText('/etc/hosting/tls/a.example/privkey.pem', 'key')
  const pairs: unknown[] = []
  host.visitor.handshake = async (pair) => {
    pairs.push(pair)
    return handshake()
  }

  const end = await provePair(host, 'a.example', authorityPem).catch((error: Error) => error)

  expect(pairs).toEqual([{ domain: 'a.example', key: 'key', chain: authorityPem }])
  const message = `The new certificate for a.example does not work with its key: ${reason}`
  expect(end).toEqual(reason === undefined ? undefined : new Error(message))
})

test('a pair without a key is refused', async () => {
  await expect(provePair(new FakeHost(), 'a.example', authorityPem)).rejects.toThrow(
    'The new certificate for a.example does not work with its key: the key is missing',
  )
})
