import { describe, expect, test } from 'bun:test'
import { sites } from '#dashboard/db/schema.ts'
import { AT } from '#dashboard/http/samples.ts'
import { findMove } from '#dashboard/moves/queries.ts'
import { PASSWORD } from '#tests/support/dashboard/backups.ts'
import { makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import {
  events,
  GATHERED,
  HAS,
  type MovingServers,
  movingServers,
} from '#tests/support/dashboard/moves.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const UNTIL_FROZEN = [
  ['one', 'site.switch', 'leaving'],
  ['one', 'backup.create'],
  ['two', 'site.receive'],
  ['one', 'site.switch', 'leaving'],
  ['one', 'site.gather'],
  ['two', 'site.catch-up'],
  ['one', 'site.switch', 'frozen'],
]
const ALL = [
  ...UNTIL_FROZEN,
  ['one', 'site.gather'],
  ['two', 'site.catch-up'],
  ['one', 'site.switch', 'parted'],
  ['two', 'site.switch', 'arrived'],
]

const FACTS = { user: 'other', php: '8.2', tier: 'small', tls: 'none', created_at: AT } as const
const refusing = (message: string) =>
  async function* () {
    yield 'Trying'
    throw new Refused({ error: 'Conflict', message })
  }
type Work = NonNullable<ReturnType<MovingServers['two']['agent']['works']['get']>>
const workOf = (all: MovingServers): Work => {
  const work = all.two.agent.works.get('site.catch-up')
  if (!work) throw new Error('no work')
  return work
}
/** The first works as usual. */
const refusingAfter = (usual: Work, message: string) => {
  let count = 0
  const refuse = refusing(message)
  return async function* (...call: Parameters<Work>) {
    count += 1
    return yield* count === 1 ? usual(...call) : refuse()
  } as Work
}
const move = (all: MovingServers) => events(all, 'move', { server_id: all.second })

describe('a move', () => {
  test('copies, freezes, copies the changes, and then the record has the new server', async () => {
    await using all = await movingServers()

    const text = await move(all)

    expect(all.asked as unknown[]).toEqual(ALL)
    expect(text).toContain('event: complete')
    expect(text).toContain('{"name":"frozen","title":"Freezing shop.example","state":"done"}')
    const { server_id, status } = await all.site(all.shop)
    expect([server_id, status]).toEqual([all.second, 'active'])
    const shown = await all.dashboard.call(
      'GET',
      `/api/servers/${all.second}/sites/${all.shop}/move`,
    )
    expect(shown.body).toMatchObject({ move: { other_id: all.first, tls: false } })
  })

  test('gives the agents the same site, and the address of the other one', async () => {
    await using all = await movingServers()

    await move(all)

    const [received] = all.two.given.flatMap((each) => each['site.receive'] ?? [])
    const site = await all.site(all.shop)
    expect(received).toMatchObject({
      ...{ domain: 'shop.example', user: site.user, php: '8.2', tier: 'medium', tls: 'none' },
      from: { kind: 'backup', backup: '1'.repeat(64) },
      peers: ['127.0.0.1'],
    })
    const caught = all.two.given.flatMap((each) => each['site.catch-up'] ?? [])
    const from = { repository: site.user, password: PASSWORD }
    expect(caught).toMatchObject([
      { from, gathered: GATHERED },
      { from, gathered: GATHERED },
    ])
    const saved = all.one.given.flatMap((each) => each['site.gather'] ?? [])
    const { snapshot: files } = GATHERED.files
    expect(saved).toMatchObject([{ from }, { from, known: HAS, files }])
  })

  test('that fails during the freeze ends it, and removes the copy', async () => {
    await using all = await movingServers()
    all.two.agent.works.set('site.catch-up', refusingAfter(workOf(all), 'The disk is full'))

    const text = await move(all)

    expect(text).toContain('{"error":"Conflict","message":"The disk is full"}')
    expect(all.asked as unknown[]).toEqual([
      ...UNTIL_FROZEN,
      ['one', 'site.gather'],
      ['one', 'site.switch', 'settled'],
      ['two', 'site.delete'],
      ['two', 'site.purge'],
    ])
    expect((await all.site(all.shop)).server_id).toBe(all.first)
    expect(await findMove(all.dashboard.db, all.shop)).toBeUndefined()
  })

  test('that fails before the copy exists deletes nothing on the new server', async () => {
    await using all = await movingServers()
    all.two.agent.works.set('site.receive', refusing('shop.example is there already'))

    await move(all)

    expect(all.asked as unknown[]).toEqual([
      ...UNTIL_FROZEN.slice(0, 2),
      ['one', 'site.switch', 'settled'],
    ])
  })

  test('continues after a restart of the dashboard, and no agent works twice', async () => {
    await using all = await movingServers()
    const { promise, resolve } = Promise.withResolvers<void>()
    const usual = all.two.agent.works.get('site.catch-up')
    all.two.agent.works.set('site.catch-up', async function* (params) {
      yield 'Waiting'
      await promise
      if (!usual) throw new Error('no work')
      return yield* usual(params)
    })
    const path = `/api/servers/${all.first}/sites/${all.shop}/move`
    void all.dashboard.send('POST', path, { server_id: all.second })
    await until(async () => all.two.agent.started.size > 1)

    await all.dashboard.deps.worker.stop()
    await using again = await makeDashboard({ folder: all.dashboard.folder })
    await again.deps.worker.resume()
    resolve()

    await until(async () => {
      const { body } = await again.call('GET', '/api/operations?type=site.move')
      return body.operations[0].status === 'success'
    })
    expect(all.asked as unknown[]).toEqual(ALL)
    expect([...all.one.agent.started.values(), ...all.two.agent.started.values()]).not.toContain(2)
  })
})

test('a record that a sync made of the copy does not hinder the move', async () => {
  await using all = await movingServers()
  const { db } = all.dashboard
  const usual = workOf(all)
  all.two.agent.works.set('site.catch-up', async function* (...call: Parameters<Work>) {
    const shop = { domain: 'shop.example', apex: 'shop.example', status: 'active' as const }
    const copy = { ...shop, server_id: all.second, managed: false, ...FACTS }
    await db.write((queries) => queries.insert(sites).values(copy).onConflictDoNothing())
    return yield* usual(...call)
  } as Work)

  const text = await move(all)

  expect(text).toContain('event: complete')
  const rows = await db.read.select().from(sites)
  expect(rows.map(({ id, server_id }) => [id, server_id])).toEqual([[all.shop, all.second]])
})

test('a record that a sync made of the copy of a failed move does not hinder the next one', async () => {
  await using all = await movingServers()
  const { db } = all.dashboard
  const { user = '' } = (await db.read.query.sites.findFirst()) ?? {}
  const shop = { domain: 'shop.example', apex: 'shop.example', status: 'active' as const }
  const copy = { ...shop, server_id: all.second, managed: false, ...FACTS, user }
  await db.write((queries) => queries.insert(sites).values(copy))

  expect(await move(all)).toContain('event: complete')

  const rows = await db.read.select().from(sites)
  expect(rows.map(({ id, server_id }) => [id, server_id])).toEqual([[all.shop, all.second]])
})
