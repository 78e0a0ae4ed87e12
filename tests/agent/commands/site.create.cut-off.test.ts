import { expect, test } from 'bun:test'
import { renewDue } from '#agent/os/certificates/due.ts'
import { noteRefused, readTries } from '#agent/os/certificates/tries.ts'
import { findSite } from '#agent/os/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { runnerOn } from '#tests/support/plan/carry-out.ts'

const SITE = { ...shop, tls: 'letsencrypt' } as const
const CUT_OFF = 'the agent was restarted before the certificate was issued'

const completeWith = (message: string) => {
  const warnings = [{ code: 'certificate_refused', message }]
  return { event: 'complete', data: { status: 'ok', domain: SITE.domain, warnings } }
}

/** Ends the agent while it waits for the certificate; the events of the next process. */
async function cutOff(before: (host: FakeHost) => Promise<void> = async () => undefined) {
  const host = await server()
  host.pages.set(`http://${SITE.domain}/`, `<a href="http://${SITE.domain}/">`)
  const { promise: asked, resolve: asks } = Promise.withResolvers<void>()
  const { probe } = host.net
  host.net.probe = (to) => {
    if (!to.path.includes('acme-challenge')) return probe(to)
    asks()
    return new Promise(() => undefined)
  }
  await runnerOn(host).start('site.create', SITE, 'op1')
  await asked
  await before(host)

  const next = runnerOn(host)
  const { ended } = await next.recover()
  await ended
  const operation = await next.find('op1')
  const events: { event: string; data: unknown }[] = []
  for await (const { event, data } of operation?.follow(0, new AbortController().signal) ?? []) {
    events.push({ event, data })
  }
  return { host, last: events.at(-1) }
}

test('a restart before the certificate keeps the site, its warning and the next attempt', async () => {
  const { host, last } = await cutOff()

  expect(last).toEqual(completeWith(CUT_OFF))
  expect(await findSite(host, SITE.domain)).toMatchObject({ tls: 'letsencrypt' })
  expect(await readTries(host)).toMatchObject({ [SITE.domain]: { failures: 1, reason: CUT_OFF } })
  host.time += 11 * 60_000
  expect(await renewDue(host, { refused: true })).toMatchObject([{ domain: SITE.domain }])
})

test('a restart after a recorded refusal keeps the message of the authority', async () => {
  const refusal = 'DNS problem: NXDOMAIN looking up A'
  const { host, last } = await cutOff((host) => noteRefused(host, SITE.domain, refusal))

  expect(last).toEqual(completeWith(refusal))
  expect(await readTries(host)).toMatchObject({ [SITE.domain]: { failures: 1 } })
})
