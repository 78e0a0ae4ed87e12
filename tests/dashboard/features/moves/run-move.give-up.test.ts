// tier: gate
import { expect, test } from 'bun:test'
import { insertMove } from '#dashboard/features/moves/queries.ts'
import { findMove } from '#dashboard/kernel/targets/moves.queries.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'
import { events, type MovingServers, movingServers } from '#tests/support/dashboard/moves.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const SHORT = { deadline_ms: 1500, retry_min_ms: 20, retry_max_ms: 20 }
const REMOVED = [
  ['two', 'site.delete'],
  ['two', 'site.purge'],
]
const move = (all: MovingServers) => events(all, 'move', { server_id: all.second })
const rowOf = (all: MovingServers) => findMove(all.dashboard.db, all.shop)

/** From now on the new server is unreachable after this many of these requests. */
function goes(all: MovingServers, command: string, since = 1): void {
  const { agent } = all.two
  const usual = agent.works.get(command)
  if (!usual) throw new Error('no work')
  let count = 0
  agent.works.set(command, async function* (params, ...rest) {
    count += 1
    yield 'Working'
    if (count === since) void agent.stop()
    return yield* usual(params, ...rest)
  })
}

/** Calls it when the site is served as before. */
function whenSettled(all: MovingServers, work: () => void): void {
  const { agent } = all.one
  const usual = agent.works.get('site.switch')
  if (!usual) throw new Error('no work')
  agent.works.set('site.switch', async function* (params, ...rest) {
    if (params.state === 'settled') work()
    return yield* usual(params, ...rest)
  })
}

const refusing = (message: string) =>
  async function* () {
    yield 'Trying'
    throw new Refused({ error: 'Conflict', message })
  }

test('a copy of which the server reports too much is removed', async () => {
  await using all = await movingServers()
  all.two.agent.works.set('site.receive', async function* () {
    for (let line = 0; line < 70; line += 1) yield 'x'.repeat(500_000)
    return { status: 'ok', domain: 'shop.example', certificate: '' }
  })

  const text = await move(all)

  expect(text).toContain('32 MiB')
  expect(all.asked.slice(-2) as unknown[]).toEqual(REMOVED)
  expect(await rowOf(all)).toBeUndefined()
})

test('a copy whose end is unknown is cancelled, and removed', async () => {
  await using all = await movingServers(SHORT)
  const { agent } = all.two
  goes(all, 'site.receive')
  whenSettled(all, () => agent.listen())

  const text = await move(all)

  expect(text).toContain('event: error')
  expect(agent.cancelled).toEqual([expect.stringMatching(/-receive forced$/)])
  expect(all.asked.slice(-2) as unknown[]).toEqual(REMOVED)
  expect(await rowOf(all)).toBeUndefined()
})

test('a cancel request does not end a move before it has removed its copy', async () => {
  await using all = await movingServers({ ...SHORT, deadline_ms: 30_000 })
  const { dashboard } = all
  const { agent } = all.two
  goes(all, 'site.catch-up', 2)
  const done = move(all)
  await until(() => all.asked.some(([, , state]) => state === 'settled'))
  const { body } = await dashboard.call('GET', '/api/operations?type=site.move')

  await dashboard.call('POST', `/api/operations/${body.operations[0].id}/cancel`)
  await Bun.sleep(100)
  agent.listen()
  await done

  expect(all.asked.slice(-2) as unknown[]).toEqual(REMOVED)
  expect(await rowOf(all)).toBeUndefined()
})

test('a copy on a server that was deleted keeps no record of the move', async () => {
  await using all = await movingServers(SHORT)
  const earlier = { site_id: all.shop, other_id: all.second, operation_id: 'earlier' }
  await insertMove(all.dashboard.db, { ...earlier, progress: { left: 99 } })
  all.two.agent.works.set('site.receive', refusing('shop.example is there already'))

  await move(all)

  expect(await rowOf(all)).toBeUndefined()
})

test('a copy on an unreachable third server does not prevent the move, and stays recorded', async () => {
  await using all = await movingServers(SHORT)
  await using agent = new FakeAgent()
  const third = await all.dashboard.addServer(agent)
  await agent.stop()
  const earlier = { site_id: all.shop, other_id: third, operation_id: 'earlier' }
  await insertMove(all.dashboard.db, { ...earlier, progress: { receiving: true } })
  const usual = all.two.agent.works.get('site.receive')
  all.two.agent.works.set('site.receive', refusing('The disk is full'))

  const text = await move(all)
  const row = await rowOf(all)
  if (usual) all.two.agent.works.set('site.receive', usual)
  const repeated = await move(all)

  expect(text).toContain('The disk is full')
  expect(row?.progress).toMatchObject({ left: [third] })
  expect(repeated).toContain('event: complete')
})

const trash = async ({ dashboard }: MovingServers) =>
  (await dashboard.call('GET', '/api/trash')).body.trash

test('a copy that is deleted, and not permanently, is listed until it is', async () => {
  await using all = await movingServers(SHORT)
  const { works } = all.two.agent
  works.set('site.catch-up', refusing('The disk is full'))
  works.set('site.purge', refusing('The database does not answer'))

  const text = await move(all)

  const warning = /Warning: the copy stays in the trash of \S+: The database does not answer/
  expect(text).toMatch(warning)
  expect(await trash(all)).toMatchObject([{ domain: 'shop.example', server_id: all.second }])
  expect(await rowOf(all)).toBeUndefined()
  const again = await move(all)
  expect(again).toContain('in its trash')
})

test('a copy that was deleted while its server was unreachable is listed, until it is removed', async () => {
  await using all = await movingServers({ ...SHORT, deadline_ms: 30_000 })
  const { works } = all.two.agent
  works.set('site.catch-up', refusing('The disk is full'))
  goes(all, 'site.purge')
  const done = move(all)
  await until(async () => (await trash(all)).length > 0)

  all.two.agent.listen()
  await done

  expect(await trash(all)).toEqual([])
  expect(await rowOf(all)).toBeUndefined()
})

test('a copy that an earlier move has deleted is listed as its server has it', async () => {
  await using all = await movingServers(SHORT)
  const earlier = { site_id: all.shop, other_id: all.second, operation_id: 'earlier' }
  await insertMove(all.dashboard.db, { ...earlier, progress: { receiving: true } })
  const { agent } = all.two
  agent.works.set('site.delete', async function* () {
    yield 'Looking'
    throw new Refused({ error: 'Not found', message: 'Copy not found' })
  })
  const kept = { user: 'shop', size: 7, deleted_at: '2026-11-01T00:00:00.000Z', restorable: true }
  agent.trash = [{ domain: 'shop.example', ...kept, php: '8.2', tier: 'small', tls: 'none' }]
  agent.works.set('site.receive', refusing('shop.example is there already'))

  await move(all)

  expect(await trash(all)).toMatchObject([{ domain: 'shop.example', size: 7 }])
})
