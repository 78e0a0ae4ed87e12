import { expect, test } from 'bun:test'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { createSite, ended, transcript } from '#tests/support/dashboard/operations.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const REFUSED = {
  code: 'certificate_refused',
  message: 'The certificate for shop.example was refused: DNS problem: NXDOMAIN',
}

async function created(warnings: unknown) {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  agent.works.set('site.create', async function* ({ domain }) {
    yield 'Requesting a certificate for shop.example'
    return { status: 'ok', domain, warnings }
  })
  const id = await createSite(dashboard, await dashboard.addServer(agent))
  const operation = await ended(dashboard, id)
  const { body } = await dashboard.call('GET', `/api/operations/${id}`)
  return { operation, shown: body.operation.warnings, events: await transcript(dashboard, id) }
}

test('an operation that did not do all of its work succeeds with warnings on its record, not in its events', async () => {
  const { operation, shown, events } = await created([REFUSED])
  expect(operation.status).toBe('success')
  expect(shown).toEqual([REFUSED])
  expect(events.at(-1)).toBe('2 complete {"status":"ok","domain":"shop.example"}')
})

test.each<[string, unknown, number]>([
  ['a result that has none', undefined, 0],
  ['a list that is none', 'all is well', 0],
  ['codes that are none', [{ code: '<b>', message: 'x' }, REFUSED], 1],
  ['a thousand of them', Array(1000).fill(REFUSED), 20],
])('keeps the readable part of %s', async (_, warnings, count) => {
  const { operation, shown } = await created(warnings)
  expect([operation.status, shown.length]).toEqual(['success', count])
})

test('a warning that is too long is shortened', async () => {
  const { shown } = await created([{ code: 'long', message: 'x'.repeat(10_000) }])
  expect(shown).toEqual([{ code: 'long', message: 'x'.repeat(1000) }])
})
