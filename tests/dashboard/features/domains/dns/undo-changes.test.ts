import { expect, test } from 'bun:test'
import { undoRecords } from '#dashboard/features/domains/dns/undo-changes.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { shown, useCloudflare } from '#tests/support/dashboard/dns.ts'

const cloudflare = useCloudflare()
const { left, refusals, put, clear } = cloudflare
const ELSEWHERE = shown('A', '192.0.2.99')

/** The site a.example, which led elsewhere; its agent refuses a change after `meanwhile`. */
async function failing(meanwhile: () => void) {
  const all = await cloudflare.oneSite()
  await all.account()
  await all.set({})
  clear()
  put('A', ELSEWHERE.content)
  const before = left()
  let refuses = true
  all.agent.works.set('site.domains', async function* (params) {
    yield 'Applying the virtual host'
    if (!refuses) return params
    meanwhile()
    throw conflict('nginx refuses its configuration')
  })
  const at = `/api/servers/${all.server_id}/sites/${all.site}/domains`
  const send = () =>
    all.dashboard.send('PUT', at, { www: 'redirect', dns: { replace: [ELSEWHERE] } })
  const change = async () => await (await send()).text()
  const ended = (count: number) => until(async () => (await all.details()).length === count)
  const repair = () => {
    refuses = false
  }
  const retry = async () => {
    const { body } = await all.dashboard.call('GET', '/api/operations?type=site.domains')
    const { id } = body.operations[0]
    await all.dashboard.call('POST', `/api/operations/${id}/retry`, {})
  }
  return { ...all, before, change, ended, repair, retry }
}

test('records that Cloudflare does not restore at once are restored later', async () => {
  await using all = await failing(() => refusals.add(ELSEWHERE.content))
  await all.change()
  await all.ended(5)
  expect((await all.details()).slice(0, 2).map(([type, status]) => [type, status])).toEqual([
    ['dns.records_undo', 'failed'],
    ['dns.records_undo', 'success'],
  ])

  refusals.clear()
  await undoRecords(all.dashboard.deps)
  await undoRecords(all.dashboard.deps)

  expect(left()).toEqual(all.before)
  expect((await all.details()).map(([type, status]) => [type, status]).slice(0, 3)).toEqual([
    ['dns.records_undo', 'success'],
    ['dns.records_undo', 'failed'],
    ['dns.records_undo', 'success'],
  ])
})

test('records that somebody else has set since are left alone', async () => {
  await using all = await failing(() => put('AAAA', '2001:db8::99'))
  await all.change()
  await all.ended(5)

  expect(left()).toEqual([
    ['A', 'a.example', all.address, false],
    ['AAAA', 'a.example', '2001:db8::99', false],
  ])
})

test('a retry after a failed undo makes them again, and nothing undoes them afterwards', async () => {
  await using all = await failing(() => refusals.add(ELSEWHERE.content))
  await all.change()
  await all.ended(5)
  refusals.clear()
  all.repair()

  await all.retry()

  await all.ended(7)
  await undoRecords(all.dashboard.deps)
  expect(left()).toEqual([
    ['A', 'a.example', all.address, false],
    ['A', 'www.a.example', all.address, false],
  ])
})

test('records that were set by hand after a failed undo are not undone', async () => {
  await using all = await failing(() => refusals.add(ELSEWHERE.content))
  await all.change()
  await all.ended(5)
  refusals.clear()

  expect((await all.set({})).status).toBe(200)
  await undoRecords(all.dashboard.deps)

  expect(left()).toEqual([['A', 'a.example', all.address, false]])
})

test('a new site has its records before it is created, and loses them if that fails', async () => {
  await using all = await failing(() => undefined)
  const seen: unknown[] = []
  all.agent.works.set('site.create', async function* ({ domain }) {
    seen.push(left().filter(([, name]) => name.endsWith('sub.a.example')))
    yield `Creating ${domain}`
    if (seen.length === 1) throw conflict('No space left')
    return { status: 'ok', domain }
  })
  const sites = `/api/servers/${all.server_id}/sites`
  const body = { domain: 'sub.a.example', php: '8.4', tls: 'none', dns: {} }
  const planned = await all.dashboard.call('POST', sites, { ...body, dry_run: true })
  expect(planned.body.plan.steps.map(({ name }: { name: string }) => name)).toEqual(['dns_records'])

  await all.dashboard.call('POST', sites, body)
  await all.ended(5)

  expect(seen).toEqual([
    [
      ['A', 'sub.a.example', all.address, false],
      ['A', 'www.sub.a.example', all.address, false],
    ],
  ])
  expect(left()).toEqual(all.before)
})

test('a dashboard that starts again undoes what an earlier one has changed', async () => {
  const held = Promise.withResolvers<void>()
  await using all = await failing(() => undefined)
  all.agent.works.set('site.domains', async function* () {
    yield 'Applying the virtual host'
    await held.promise
    throw conflict('nginx refuses its configuration')
  })
  void all.change().catch(() => undefined)
  await until(() => left().length === 2)
  await until(
    async () => (await all.dashboard.db.read.query.operation_events.findMany()).length > 2,
  )
  await all.dashboard.stop()
  await using second = await makeDashboard({ folder: all.dashboard.folder })

  await second.deps.worker.resume()
  held.resolve()

  await until(() => left().some(([, , content]) => content === ELSEWHERE.content))
  await until(() => left().length === 1)
  expect(left()).toEqual(all.before)
})
