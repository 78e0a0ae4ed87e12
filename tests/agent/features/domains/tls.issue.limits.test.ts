import { beforeEach, expect, test } from 'bun:test'
import { readFailedRequests } from '#agent/features/domains/failed-requests.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import { authority, issue, issuing, tlsSite } from '#tests/support/agent/tls-site.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { runnerOn } from '#tests/support/plan/carry-out.ts'

const LEDGER = '/var/lib/hosting-agent/certificate-orders.json'
const HOUR_MS = 3_600_000
/** A week for five. */
const REFILL_MS = 33.6 * HOUR_MS

let host: FakeHost
beforeEach(async () => {
  host = await tlsSite()
  host.settings.acme_directory = 'https://acme-v02.api.letsencrypt.org/directory'
  issuing(host)
})

/** Another certificate for the same names, as after a change to and fro. */
async function again(): Promise<string[]> {
  await issue(host, 'none')
  const [, , warnings] = await issue(host, 'letsencrypt')
  return warnings.map(({ message }) => message)
}

const refused = (what: string, at: number) =>
  `The certificate for a.example was refused: the authority allows ${what}, and is asked again after ${new Date(at).toISOString()}`
const SAME = '5 certificates for exactly these names in 7 days'

test('a sixth certificate for the same names is not ordered, and the reason has the time of the next one', async () => {
  const start = host.time
  for (let times = 0; times < 5; times++) expect(await again()).toEqual([])
  const message = refused(SAME, start + REFILL_MS)

  expect(await again()).toEqual([message])
  expect(host.orders).toHaveLength(5)
  const next_at = new Date(host.time + 24 * HOUR_MS).toISOString()
  expect(await readFailedRequests(host)).toEqual({
    'a.example': { failures: 1, reason: message, next_at },
  })

  host.time = start + REFILL_MS
  expect(await again()).toEqual([])
  expect(await again()).toEqual([refused(SAME, start + 2 * REFILL_MS)])
  expect(host.orders).toHaveLength(6)
})

test('the plan of a certificate that the authority would refuse says so', async () => {
  const start = host.time
  for (let times = 0; times < 5; times++) await again()
  await issue(host, 'none')
  const params = { domain: 'a.example', tls: 'letsencrypt', email: 'a@a.example' } as const

  const { steps } = await runnerOn(host).plan('tls.issue', params)

  const until = new Date(start + REFILL_MS).toISOString()
  expect(steps.map(({ notes }) => notes)).toEqual([
    [`No new certificate: the authority allows ${SAME}, and is asked again after ${until}`],
  ])
})

test('so does the plan of other names', async () => {
  await again()
  const full_at = { orders: host.time + 3 * HOUR_MS }
  host.disk.putText(LEDGER, JSON.stringify({ full_at, issued: {} }))
  const names = { www: 'redirect' as const, aliases: ['b.example'], redirects: [] }

  const { steps } = await runnerOn(host).plan('site.domains', { domain: 'a.example', ...names })

  const until = new Date(host.time + 36_000).toISOString()
  expect(steps.flatMap(({ notes = [] }) => notes)).toEqual([
    `No new certificate: the authority allows 300 orders in 3 hours, and is asked again after ${until}`,
  ])
})

test('a renewal that the authority suggests is ordered, whatever the limit', async () => {
  for (let times = 0; times < 5; times++) await again()
  const { serial } = await lastIssued()
  const at = new Date(host.time).toISOString()
  const times = { 'a.example': { serial, at, check_at: at } }
  host.disk.putText('/var/lib/hosting-agent/renewal-times.json', JSON.stringify(times))
  const before = await fullAt()

  const [, , warnings] = await issue(host, 'letsencrypt')

  expect(warnings).toEqual([])
  expect(host.orders).toHaveLength(6)
  expect(await fullAt()).toEqual(before)
})

test.each([
  ['orders', 300, 36_000, '300 orders in 3 hours'],
  ['domain a.example', 50, 12_096_000, '50 certificates for names of a.example in 7 days'],
])('the limit of %s counts over all sites', async (key, most, refill_ms, what) => {
  const full_at = { [key]: host.time + most * refill_ms }
  host.disk.putText(LEDGER, JSON.stringify({ full_at, issued: {} }))

  expect(await again()).toEqual([refused(what, host.time + refill_ms)])
  expect(host.orders).toEqual([])

  // Names that have a certificate count for neither.
  host.disk.drop(LEDGER)
  await again()
  const { issued } = JSON.parse(String(host.disk.all[LEDGER]))
  host.time += 70 * 24 * HOUR_MS
  const again_full = { [key]: host.time + most * refill_ms }
  host.disk.putText(LEDGER, JSON.stringify({ full_at: again_full, issued }))
  const [, , warnings] = await issue(host, 'letsencrypt')
  expect([warnings, host.orders.length]).toEqual([[], 2])
})

const closed = () => {
  throw new Error('the connection was closed')
}

test.each([
  ['failed', closed, ['orders']],
  ['refused', () => ({ refused: [{ name: 'a.example', reason: 'timeout' }] }), ['orders']],
  ['limited', () => ({ limited: { reason: 'too many', retry_after_s: 60 } }), []],
  ['unreachable', () => ({ unreachable: 'acme.example cannot be reached' }), []],
] as const)('an order that ends as %s counts for no certificate', async (_, answer, counted) => {
  authority(host, answer)

  await issue(host, 'letsencrypt')

  expect(Object.keys(await fullAt())).toEqual([...counted])
})

test('a clock that was set back blocks no order', async () => {
  for (let times = 0; times < 6; times++) await again()
  host.time -= 8 * 24 * HOUR_MS

  expect(await again()).toEqual([])
})

test('another authority has no limits here', async () => {
  host.settings.acme_directory = 'https://acme.example/directory'
  for (let times = 0; times < 8; times++) expect(await again()).toEqual([])
})

test('a ledger that cannot be read counts as empty', async () => {
  host.disk.putText(LEDGER, 'torn')

  expect(await again()).toEqual([])
  expect(await getSite(host, 'a.example')).toMatchObject({ tls: 'letsencrypt' })
})

async function fullAt(): Promise<Record<string, number>> {
  const { full_at } = JSON.parse((await host.disk.read(LEDGER)) ?? '{"full_at":{}}')
  const open = Object.entries<number>(full_at).filter(([, time]) => time > host.time)
  return Object.fromEntries(open)
}

async function lastIssued(): Promise<{ serial: string }> {
  const { issued } = JSON.parse((await host.disk.read(LEDGER)) ?? '{}')
  return { serial: Object.keys(issued).at(-1) ?? '' }
}
