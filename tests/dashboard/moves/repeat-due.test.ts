import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { operations, servers } from '#dashboard/db/schema.ts'
import { beginMove, findMove } from '#dashboard/moves/queries.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'
import { events, movingServers } from '#tests/support/dashboard/moves.ts'
import { FAST, later, move, refuses, repeated, shown } from '#tests/support/dashboard/open-moves.ts'
import { Refused } from '#tests/support/fake-operation.ts'

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
  await beginMove(dashboard.db, { ...earlier, progress: { receiving: true } })
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
