import { expect, test } from 'bun:test'
import { listDue } from '#agent/features/domains/renewal.ts'
import { readRenewalTimes, updateRenewalTimes } from '#agent/features/domains/renewal-times.ts'
import { authority, issue, tlsSite } from '#tests/support/agent/tls-site.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { authorityPem } from '#tests/support/fixtures/certificates.ts'

const NOW = Date.UTC(2030, 0, 1)
const HOUR = 3_600_000
const DAY = 24 * HOUR
const at = (ms: number) => new Date(ms).toISOString()

/** A site whose certificate an authority issued, in 2026 for a hundred years. */
async function issued(): Promise<FakeHost> {
  const host = await tlsSite()
  authority(host, () => ({ chain: authorityPem }))
  await issue(host, 'letsencrypt')
  host.time = NOW
  return host
}

const due = async (host: FakeHost) => (await listDue(host)).map(({ domain }) => domain)

test('a certificate is due at a time in the window of the authority', async () => {
  const host = await issued()
  const window = { start: at(NOW + DAY), end: at(NOW + 2 * DAY), retry_after_s: 7200 }
  host.acme.renewal = window

  await updateRenewalTimes(host)

  const time = (await readRenewalTimes(host))['a.example']
  expect(time?.check_at).toBe(at(NOW + 2 * HOUR))
  const chosen = time?.at ?? ''
  expect(window.start <= chosen && chosen <= window.end).toBe(true)
  expect(await due(host)).toEqual([])
  host.time = Date.parse(chosen)
  expect(await due(host)).toEqual(['a.example'])
})

test('it asks again when the authority said, and keeps a time that is still in the window', async () => {
  const host = await issued()
  host.acme.renewal = { start: at(NOW + DAY), end: at(NOW + 9 * DAY), retry_after_s: 7200 }
  await updateRenewalTimes(host)
  const chosen = (await readRenewalTimes(host))['a.example']?.at

  host.time = NOW + HOUR
  await updateRenewalTimes(host)
  expect(host.acme.asked).toEqual([1])
  host.time = NOW + 2 * HOUR
  await updateRenewalTimes(host)

  expect(host.acme.asked).toEqual([1, 1])
  expect((await readRenewalTimes(host))['a.example']?.at).toBe(chosen ?? '')
})

test('a certificate that is to be revoked is due at once', async () => {
  const host = await issued()
  host.acme.renewal = { start: at(NOW + 20 * DAY), end: at(NOW + 21 * DAY), retry_after_s: 7200 }
  await updateRenewalTimes(host)
  expect(await due(host)).toEqual([])

  host.time = NOW + 3 * HOUR
  host.acme.renewal = { start: at(NOW - 2 * DAY), end: at(NOW - DAY), retry_after_s: 7200 }
  await updateRenewalTimes(host)

  expect(await due(host)).toEqual(['a.example'])
})

test('without an answer the former time stays, and the end of the lifetime decides', async () => {
  const host = await issued()
  host.acme.renewal = { start: at(NOW + DAY), end: at(NOW + DAY), retry_after_s: 3600 }
  await updateRenewalTimes(host)
  host.time = NOW + 2 * HOUR
  host.acme.renewals = () => Promise.reject(new Error('acme.example cannot be reached'))

  await updateRenewalTimes(host)

  const { serial: _, ...time } = (await readRenewalTimes(host))['a.example'] ?? {}
  expect(time).toEqual({ at: at(NOW + DAY), check_at: at(NOW + 8 * HOUR) })
})

test('a late suggestion does not let the certificate expire', async () => {
  const host = await issued()
  const late = at(Date.UTC(2126, 0, 1))
  host.acme.renewal = { start: late, end: late, retry_after_s: 3600 }
  host.time = Date.UTC(2100, 0, 1)
  await updateRenewalTimes(host)
  expect(await due(host)).toEqual([])

  host.time = Date.UTC(2118, 0, 1)
  expect(await due(host)).toEqual(['a.example'])
})

test('the times of another certificate and of other sites are forgotten', async () => {
  const host = await issued()
  const path = `${host.settings.state_dir}/renewal-times.json`
  const old = { serial: '00', at: at(NOW - DAY), check_at: at(NOW + HOUR) }
  await host.disk.write(path, JSON.stringify({ 'a.example': old, 'gone.example': old }))
  expect(await due(host)).toEqual([])

  await updateRenewalTimes(host)

  const times = await readRenewalTimes(host)
  expect(Object.keys(times)).toEqual(['a.example'])
  expect(times['a.example']?.at).toBeNull()
})

test('a renewal names the certificate that it replaces', async () => {
  const host = await issued()
  expect(host.orders.map(({ replaces }) => replaces)).toEqual([undefined])

  await issue(host, 'letsencrypt')

  expect(host.orders.at(-1)?.replaces?.trim()).toBe(authorityPem.trim())
})
