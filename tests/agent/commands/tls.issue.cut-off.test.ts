import { beforeEach, expect, test } from 'bun:test'
import { tlsIssue } from '#agent/commands/tls.issue.ts'
import { restore } from '#agent/os/certificates/changing.ts'
import { renewDue } from '#agent/os/certificates/due.ts'
import { noteNames, noteRefused, readTries } from '#agent/os/certificates/tries.ts'
import { getSite, writeSite } from '#agent/os/site/sites.ts'
import { keepFormer } from '#agent/os/tls/certificate-files.ts'
import { SiteNames } from '#shared/site-names.ts'
import { authority, issue, tlsSite } from '#tests/support/agent/tls-site.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { namedPem, singlePem } from '#tests/support/fixtures/certificates.ts'

const REQUEST = { domain: 'a.example', tls: 'letsencrypt', email: 'ops@a.example' } as const

let host: FakeHost
beforeEach(async () => {
  host = await tlsSite()
  authority(host, () => ({ chain: namedPem }))
})

const finished = (since = host.time, params: Parameters<typeof tlsIssue.run>[0] = REQUEST) =>
  tlsIssue.finished?.(params, host, since)

test('a certificate that was complete before the agent ended has its result', async () => {
  const [, result] = await issue(host, 'letsencrypt')

  expect(result).toMatchObject({ expires_at: expect.stringMatching(/^2126-/) })
  expect(await finished()).toEqual(result as never)
})

test('the certificate of an earlier request is not that of a renewal', async () => {
  await issue(host, 'letsencrypt')
  host.time += 1000

  expect(await finished()).toBeUndefined()
})

test('a former certificate that was restored is not the requested one', async () => {
  await issue(host, 'letsencrypt')
  host.time = Date.UTC(2027, 0, 1)
  await keepFormer(host, 'a.example', { tls: 'letsencrypt', email: REQUEST.email })
  await restore(host, 'a.example')

  expect(await finished()).toBeUndefined()
})

test.each<[string, string, boolean]>([
  ['in the last hour', '2026-11-26T00:44:30Z', true],
  ['at midnight', '2026-11-26T23:59:59Z', true],
  ['two days ago', '2026-11-27T23:44:30Z', false],
])('a certificate whose lifetime begins %s may be of this request', async (_, now, is) => {
  authority(host, () => ({ chain: singlePem }))
  host.time = Date.parse(now)

  await issue(host, 'letsencrypt')

  expect((await finished()) !== undefined).toBe(is)
})

test('another request, or one whose change can still be undone, has no result', async () => {
  await issue(host, 'letsencrypt')

  expect(await finished(host.time, { ...REQUEST, tls: 'self-signed' })).toBeUndefined()
  expect(await finished(host.time, { ...REQUEST, email: 'b@a.example' })).toBeUndefined()
  expect(await finished(host.time, { ...REQUEST, tls: 'none' })).toBeUndefined()
  await keepFormer(host, 'a.example', {})
  expect(await finished()).toBeUndefined()
})

test('the removal of a certificate has its result', async () => {
  await issue(host, 'letsencrypt')
  await issue(host, 'none')

  expect(await finished(host.time, { ...REQUEST, tls: 'none' })).toEqual({
    ...{ domain: 'a.example', tls: 'none', expires_at: '' },
  })
})

test('its missing names are reported and tried again, and its former refusal is forgotten', async () => {
  const names = SiteNames.parse({ aliases: ['b.example', 'dead.example'] })
  await writeSite(host, { ...(await getSite(host, 'a.example')), names })
  await issue(host, 'letsencrypt')
  await noteRefused(host, 'a.example', 'too many requests')
  await noteNames(host, ['b.example', 'dead.example'], [{ name: 'b.example', reason: 'no record' }])

  const warnings = await tlsIssue.missing?.(REQUEST, host)

  const reason = 'the agent was restarted before the certificate was issued'
  expect(warnings).toEqual([
    {
      code: 'certificate_refused',
      message: `The certificate leaves out dead.example (${reason})`,
    },
  ])
  const next_at = new Date(host.time + 10 * 60_000).toISOString()
  expect(await readTries(host)).toEqual({ 'dead.example': { failures: 1, reason, next_at } })
})

test('its other name of the pair is tried again without a warning', async () => {
  authority(host, () => ({ chain: singlePem }))
  await issue(host, 'letsencrypt')
  await noteNames(host, ['www.a.example'], [{ name: 'www.a.example', reason: 'no record' }])

  expect(await tlsIssue.missing?.(REQUEST, host)).toEqual([])

  expect(await readTries(host)).toMatchObject({ 'www.a.example': { reason: 'no record' } })
  host.time += 60 * 60_000
  expect(await renewDue(host)).toMatchObject([{ domain: 'a.example' }])
})
