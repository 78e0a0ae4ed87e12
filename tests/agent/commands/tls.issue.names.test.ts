import { beforeEach, expect, test } from 'bun:test'
import { renewDue } from '#agent/os/certificates/due.ts'
import { readTries } from '#agent/os/certificates/tries.ts'
import { getSite, writeSite } from '#agent/os/site/sites.ts'
import type { Warning } from '#shared/agent.ts'
import { SiteNames } from '#shared/site-names.ts'
import { authority, issue, resolving, serveTokens, tlsSite } from '#tests/support/agent/tls-site.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { authorityPem, namedPem } from '#tests/support/fixtures/certificates.ts'

let host: FakeHost
beforeEach(async () => {
  host = await tlsSite()
})

const NAMED = { names: SiteNames.parse({ aliases: ['b.example', 'dead.example'] }) }
const ALL = ['a.example', 'www.a.example', 'b.example', 'dead.example']

/** The site with two aliases, all served by this server. */
async function withAliases(): Promise<void> {
  await writeSite(host, { ...(await getSite(host, 'a.example')), ...NAMED, tls: 'letsencrypt' })
  serveTokens(host, ALL)
}

const reports = (host: FakeHost) => readTries(host).then((tries) => Object.keys(tries))

test('leaves out a dead alias with a warning, and tries it again at growing intervals', async () => {
  await withAliases()
  authority(host, ({ names }) =>
    names.includes('dead.example')
      ? { refused: [{ name: 'dead.example', reason: 'connection refused' }] }
      : { chain: authorityPem },
  )
  const warnings: Warning[] = []

  await issue(host, 'letsencrypt', warnings)

  expect(host.orders.map(({ names }) => names)).toEqual([ALL, ALL.slice(0, 3)])
  const message = 'The certificate leaves out dead.example (connection refused)'
  expect(warnings).toEqual([{ code: 'certificate_refused', message }])
  expect(await reports(host)).toEqual(['dead.example'])
  expect(await renewDue(host, { refused: true })).toEqual([])
  host.time += 10 * 60_000
  expect(await renewDue(host, { refused: true })).toMatchObject([{ domain: 'a.example' }])
})

test('asks the authority for no name without a record in DNS', async () => {
  await withAliases()
  resolving(host, { 'dead.example': [] })
  authority(host, () => ({ chain: authorityPem }))
  const warnings: Warning[] = []

  await issue(host, 'letsencrypt', warnings)

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
  const warnings: Warning[] = []

  await issue(host, 'letsencrypt', warnings)

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

  const warnings: Warning[] = []
  await issue(host, 'letsencrypt', warnings)
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
