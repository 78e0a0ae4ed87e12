// tier: gate
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { insertMove } from '#dashboard/features/moves/queries.ts'
import { retryDueMoves } from '#dashboard/features/moves/retry-due-moves.ts'
import { operations, servers } from '#dashboard/kernel/db/schema.ts'
import { getServer, getSite } from '#dashboard/kernel/db/targets.ts'
import { enqueue } from '#dashboard/kernel/engine/enqueue.ts'
import { findMove } from '#dashboard/kernel/targets/moves.queries.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'
import {
  declaredLost,
  events,
  type MovingServers,
  movingServers,
} from '#tests/support/dashboard/moves.ts'
import { ended } from '#tests/support/dashboard/operations.ts'
import { Refused } from '#tests/support/fake-operation.ts'

/** Operations end and are repeated soon. */
const FAST = { deadline_ms: 5000, retry_min_ms: 10, retry_max_ms: 10 }
const move = (all: MovingServers) => events(all, 'move', { server_id: all.second })

/** From now on an agent refuses to give the site one of these states; returns the end of that. */
function refuses(all: MovingServers, of: 'one' | 'two', ...states: string[]): () => void {
  const { works } = all[of].agent
  const usual = works.get('site.switch')
  if (!usual) throw new Error('no work')
  works.set('site.switch', async function* (params) {
    if (!states.includes(String(params.state))) return yield* usual(params)
    yield 'Trying'
    throw new Refused({ error: 'Conflict', message: 'The disk is full' })
  })
  return () => void works.set('site.switch', usual)
}

async function shown({ dashboard, site, shop }: MovingServers) {
  const { server_id } = await site(shop)
  const { body } = await dashboard.call('GET', `/api/servers/${server_id}/sites/${shop}/move`)
  return body
}

/** As if the last operations had ended long ago. */
const later = ({ dashboard }: MovingServers) =>
  dashboard.db.write((queries) =>
    queries.update(operations).set({ finished_at: '2026-01-01T00:00:00.000Z' }),
  )

/** Starts what is due, and waits for its end. */
async function repeated(all: MovingServers): Promise<string[]> {
  const { dashboard } = all
  await retryDueMoves(dashboard.deps)
  await until(async () => (await dashboard.db.read.select().from(operations)).every(hasEnded))
  const all_of = await dashboard.db.read.select().from(operations)
  return all_of.flatMap(({ type, actor, status }) =>
    actor === null && type.startsWith('site.move') ? [`${type} ${status}`] : [],
  )
}

const hasEnded = ({ status }: { status: string }) => status !== 'queued' && status !== 'running'

test('a site that has left its server, and is not opened, is shown and then opened without a user', async () => {
  await using all = await movingServers(FAST)
  const ends = refuses(all, 'two', 'arrived')

  const text = await move(all)
  const { move: unconfirmed, open } = await shown(all)
  const early = await repeated(all)
  ends()
  await later(all)
  const due = await repeated(all)

  expect(text).toContain('event: error')
  expect(unconfirmed).toBeNull()
  expect(open).toMatchObject({ reason: 'The disk is full', undecided: true })
  expect(Date.parse(open.next_at)).toBeGreaterThan(Date.now())
  expect([early, due]).toEqual([[], ['site.move success']])
  expect((await all.site(all.shop)).server_id).toBe(all.second)
  expect((await shown(all)).open).toBeNull()
})

test('a site that forwards to a server that was declared lost serves visitors again', async () => {
  await using all = await movingServers(FAST)
  refuses(all, 'two', 'arrived')
  await move(all)
  await declaredLost(all, all.second)
  all.asked.length = 0
  await later(all)

  const due = await repeated(all)

  expect(due).toEqual(['site.move failed'])
  expect(all.asked as unknown[]).toEqual([
    ['one', 'site.switch', 'arriving'],
    ['one', 'site.switch', 'settled'],
  ])
  expect((await all.site(all.shop)).server_id).toBe(all.first)
  expect(await findMove(all.dashboard.db, all.shop)).toBeUndefined()
})

test('a retry by a user opens it, too', async () => {
  await using all = await movingServers(FAST)
  const ends = refuses(all, 'two', 'arrived')
  await move(all)
  const { open } = await shown(all)
  ends()

  const { status } = await all.dashboard.call('POST', `/api/operations/${open.operation_id}/retry`)

  expect(status).toBe(202)
  await until(async () => (await all.site(all.shop)).server_id === all.second)
})

test('a retry needs the right on the other server, too', async () => {
  await using all = await movingServers(FAST)
  refuses(all, 'two', 'arrived')
  await move(all)
  const { operation_id } = (await shown(all)).open
  const operator = (part: object) =>
    ({ gives: 'operator', tag: null, server_id: null, site_id: null, ...part }) as const
  const status = async (...parts: object[]) => {
    const headers = await all.dashboard.signInWith([], parts.map(operator))
    const path = `/api/operations/${operation_id}/retry`
    return (await all.dashboard.call('POST', path, undefined, headers)).status
  }
  const site = { site_id: all.shop }

  expect([
    await status(site),
    await status({ server_id: all.second }),
    await status(site, { server_id: all.second }),
  ]).toEqual([403, 403, 202])
})

test('each attempt that fails doubles the pause', async () => {
  await using all = await movingServers(FAST)
  refuses(all, 'two', 'arrived')
  await move(all)
  const pauses: number[] = []
  for (const _ of [1, 2, 3]) {
    const { open } = await shown(all)
    const last = await all.dashboard.db.read.select().from(operations)
    const { finished_at } = last.find(({ id }) => id === open.operation_id) ?? {}
    pauses.push((Date.parse(open.next_at) - Date.parse(finished_at ?? '')) / 60_000)
    await later(all)
    await repeated(all)
  }

  expect(pauses).toEqual([1, 2, 4])
})

test('nothing is repeated while one of the servers is offline', async () => {
  await using all = await movingServers(FAST)
  refuses(all, 'two', 'arrived')
  await move(all)
  await later(all)
  await all.dashboard.db.write((queries) => queries.update(servers).set({ status: 'offline' }))

  expect(await repeated(all)).toEqual([])
})

test('a move that failed, and whose server refused to serve as before, is ended, and no site moves', async () => {
  await using all = await movingServers(FAST)
  const ends = refuses(all, 'one', 'frozen', 'settled')
  await move(all)
  const { open } = await shown(all)
  ends()
  all.asked.length = 0
  await later(all)

  const due = await repeated(all)

  expect(open).toMatchObject({ undecided: false })
  expect(due).toEqual(['site.move failed'])
  expect(all.asked as unknown[]).toEqual([
    ['one', 'site.switch', 'settled'],
    ['two', 'site.delete'],
    ['two', 'site.purge'],
  ])
  expect(await findMove(all.dashboard.db, all.shop)).toBeUndefined()
})

test('a confirmed move whose present server refused is ended', async () => {
  await using all = await movingServers(FAST)
  await move(all)
  const ends = refuses(all, 'two', 'settled')
  await events(all, 'move-confirm')
  const { open } = await shown(all)
  ends()
  await later(all)

  expect(open).toMatchObject({ undecided: false, reason: 'The disk is full' })
  expect(await repeated(all)).toEqual(['site.move-confirm success'])
  expect(await findMove(all.dashboard.db, all.shop)).toBeUndefined()
})

test('a former server that refused to forward again does so', async () => {
  await using all = await movingServers(FAST)
  await move(all)
  const frozen = refuses(all, 'two', 'frozen')
  const parted = refuses(all, 'one', 'parted')
  await events(all, 'move-back', { discard_changes: true })
  frozen()
  parted()
  all.asked.length = 0
  await later(all)

  const due = await repeated(all)

  expect(due).toEqual(['site.move-back failed'])
  expect(all.asked as unknown[]).toEqual([['one', 'site.switch', 'parted']])
  expect((await shown(all)).open).toBeNull()
})

test('what is only left on an earlier server is ended when that server is back', async () => {
  await using all = await movingServers(FAST)
  const { dashboard } = all
  const third = await dashboard.addServer({ port: 1 })
  const earlier = { site_id: all.shop, other_id: third, operation_id: 'earlier' }
  await insertMove(dashboard.db, { ...earlier, progress: { receiving: true } })
  all.two.agent.works.set('site.receive', async function* () {
    yield 'Trying'
    throw new Refused({ error: 'Conflict', message: 'The disk is full' })
  })
  await move(all)
  await later(all)

  const before = await repeated(all)
  const port = all.two.agent.port
  const back = { status: 'online' as const, port }
  await dashboard.db.write((queries) =>
    queries.update(servers).set(back).where(eq(servers.id, third)),
  )
  const after = await repeated(all)

  expect([before, after]).toEqual([[], ['site.move failed']])
  expect(await findMove(dashboard.db, all.shop)).toBeUndefined()
})

/**
 * A moved site whose former server did not get back to forwarding after a move back that failed.
 */
async function astray(all: MovingServers): Promise<void> {
  await move(all)
  const ends = [refuses(all, 'two', 'frozen'), refuses(all, 'one', 'parted')]
  await events(all, 'move-back', { discard_changes: true })
  for (const end of ends.reverse()) end()
  all.asked.length = 0
}

/** From now on the former server refuses to delete its copy; returns the end of that. */
function keepsCopy({ one: { agent } }: MovingServers): () => void {
  const usual = agent.works.get('site.delete')
  if (!usual) throw new Error('no work')
  agent.works.set('site.delete', async function* () {
    yield 'Trying'
    throw new Refused({ error: 'Conflict', message: 'The disk is full' })
  })
  return () => void agent.works.set('site.delete', usual)
}

test('a confirmation that failed before it deleted the copy is not carried out without a user', async () => {
  await using all = await movingServers(FAST)
  await astray(all)
  const ends = keepsCopy(all)
  expect(await events(all, 'move-confirm')).toContain('The disk is full')
  ends()
  await later(all)

  const due = await repeated(all)

  expect(due).toEqual(['site.move-back failed'])
  expect(all.asked as unknown[]).toEqual([
    ['two', 'site.switch', 'arrived'],
    ['one', 'site.switch', 'parted'],
  ])
  expect(await shown(all)).toMatchObject({ move: { other_id: all.first }, open: null })
  expect(await events(all, 'move-confirm')).toContain('event: complete')
})

test('nor is one that the user cancelled while the former server was gone', async () => {
  await using all = await movingServers(FAST)
  await astray(all)
  const { dashboard, one, shop, second } = all
  one.agent.stop()
  const path = `/api/servers/${second}/sites/${shop}/move-confirm`
  const begun = await dashboard.send('POST', path, {})
  const id = begun.headers.get('operation-id') ?? ''
  await until(async () => (await findMove(dashboard.db, shop))?.operation_id === id)
  await dashboard.call('POST', `/api/operations/${id}/cancel`, {})
  expect(await ended(dashboard, id)).toMatchObject({ status: 'cancelled' })
  one.agent.listen()
  await dashboard.db.write((queries) => queries.update(servers).set({ status: 'online' }))
  all.asked.length = 0
  await later(all)

  expect(await repeated(all)).toEqual(['site.move-back failed'])
  expect(all.asked.map(([, command]) => command)).not.toContain('site.delete')
})

test('no confirmation begins without a user', async () => {
  await using all = await movingServers(FAST)
  await move(all)
  all.asked.length = 0
  const { dashboard, shop, second } = all
  const target = {
    server: await getServer(dashboard.db, second),
    site: await getSite(dashboard.db, second, shop),
  }

  const job = await enqueue(dashboard.deps, {
    ...{ type: 'site.move-confirm', params: {}, actor: null, wait_for_agent: false },
    ...target,
  })

  const message = 'Only a user can confirm a move'
  const error = { error: 'Conflict', message }
  expect(await ended(dashboard, job.operation_id)).toMatchObject({ status: 'failed', error })
  expect(all.asked).toEqual([])
})

test('a move of which the copy is deleted does not move back, and a second confirmation ends it', async () => {
  await using all = await movingServers(FAST)
  await move(all)
  const ends = refuses(all, 'two', 'settled')
  await events(all, 'move-confirm')
  const path = `/api/servers/${all.second}/sites/${all.shop}/move-back`
  const { status, body } = await all.dashboard.call('POST', path, {})
  await events(all, 'move-confirm')
  ends()
  all.asked.length = 0
  await later(all)

  const message = 'The copy of shop.example is deleted: confirm the move first'
  expect([status, body.message]).toEqual([409, message])
  expect(await repeated(all)).toEqual(['site.move-confirm success'])
  expect(all.asked as unknown[]).toEqual([['two', 'site.switch', 'settled']])
})

test('an attempt that ended before it began counts for the pause', async () => {
  await using all = await movingServers(FAST)
  refuses(all, 'two', 'arrived')
  await move(all)
  await later(all)
  const { db } = all.dashboard
  const [first] = (await db.read.select().from(operations)).filter(
    ({ type }) => type === 'site.move',
  )
  if (!first) throw new Error('no move')
  const ended = (id: string, seconds: number) => {
    const at = new Date(Date.now() - seconds * 1000).toISOString()
    const times = { created_at: at, started_at: null, finished_at: at, deadline_at: at }
    const row = { ...first, id, actor: null, status: 'cancelled' as const, ...times }
    return db.write((queries) => queries.insert(operations).values(row))
  }

  const before = { created_at: '2026-01-01T00:00:00.000Z' }
  await db.write((queries) => queries.update(operations).set(before))
  await ended('older', 200)
  await ended('newer', 100)

  const { open } = await shown(all)
  // Two attempts make four minutes.
  const left = Math.round((Date.parse(open.next_at) - Date.now()) / 1000)
  expect(left).toBeGreaterThan(60)
  expect(left).toBeLessThanOrEqual(140)
  expect(await repeated(all)).toEqual(['site.move cancelled', 'site.move cancelled'])
})

test('a move that cannot be repeated does not keep another one from it', async () => {
  await using all = await movingServers(FAST)
  const { dashboard, first, second } = all
  const made = await dashboard.call('POST', `/api/servers/${first}/sites`, {
    ...{ domain: 'b.example', php: '8.2', tier: 'medium', tls: 'none', email: 'a@b.example' },
  })
  const id: number = made.body.site.id
  await until(async () => (await all.site(id)).status === 'active')
  const ends = refuses(all, 'two', 'arrived')
  await move(all)
  await events({ ...all, shop: id }, 'move', { server_id: second })
  ends()
  await later(all)
  const { worker } = dashboard.deps
  const start = worker.start.bind(worker)
  worker.start = (row) => {
    if (row.site_id === all.shop) throw new Error('broken')
    return start(row)
  }

  await retryDueMoves(dashboard.deps)

  await until(async () => (await all.site(id)).server_id === second)
  const message = 'the move of shop.example could not be repeated'
  expect(dashboard.log.join('\n')).toContain(message)
})
