import { describe, expect, test } from 'bun:test'
import { findMove } from '#dashboard/moves/queries.ts'
import { makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { events, type MovingServers, movingServers } from '#tests/support/dashboard/moves.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const UNTIL_FROZEN = [
  ['one', 'site.switch', 'leaving'],
  ['one', 'backup.create'],
  ['two', 'site.receive'],
  ['one', 'site.switch', 'leaving'],
  ['one', 'site.switch', 'frozen'],
]
const ALL = [
  ...UNTIL_FROZEN,
  ['one', 'backup.create'],
  ['two', 'site.catch-up'],
  ['one', 'site.switch', 'parted'],
  ['two', 'site.switch', 'arrived'],
]

const refusing = (message: string) =>
  async function* () {
    yield 'Trying'
    throw new Refused({ error: 'Conflict', message })
  }
const move = (all: MovingServers) => events(all, 'move', { server_id: all.second })

describe('a move', () => {
  test('copies, freezes, brings what has changed, and then the record has the new server', async () => {
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
    const [caught] = all.two.given.flatMap((each) => each['site.catch-up'] ?? [])
    expect(caught).toMatchObject({ from: { kind: 'backup', backup: '2'.repeat(64) } })
  })

  test('that fails during the freeze ends it, and removes the copy', async () => {
    await using all = await movingServers()
    all.two.agent.works.set('site.catch-up', refusing('The disk is full'))

    const text = await move(all)

    expect(text).toContain('{"error":"Conflict","message":"The disk is full"}')
    expect(all.asked as unknown[]).toEqual([
      ...UNTIL_FROZEN,
      ['one', 'backup.create'],
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

describe('a move is refused', () => {
  test.each([
    ['the server of the site', 'first', 'The site is on this server already'],
    ['an unknown server', 'none', 'Is not a server of this dashboard'],
  ] as const)('for %s', async (_, which, reason) => {
    await using all = await movingServers()
    const server_id = which === 'first' ? all.first : 99

    const path = `/api/servers/${all.first}/sites/${all.shop}/move`
    const { status, body } = await all.dashboard.call('POST', path, { server_id })

    expect([status, body.fields]).toEqual([422, { server_id: [reason] }])
  })

  test('again until it is confirmed, and so is the deletion of the site', async () => {
    await using all = await movingServers()
    await move(all)

    const at = `/api/servers/${all.second}/sites/${all.shop}`
    const second = await all.dashboard.call('POST', `${at}/move`, { server_id: all.first })
    const deleted = await all.dashboard.call('DELETE', at)

    expect([second.status, deleted.status]).toEqual([409, 409])
  })

  test('a plan has the parts, and changes nothing', async () => {
    await using all = await movingServers()
    const path = `/api/servers/${all.first}/sites/${all.shop}/move`

    const { body } = await all.dashboard.call('POST', path, {
      ...{ server_id: all.second, dry_run: true },
    })

    expect(body.plan.steps.map(({ title }: { title: string }) => title)).toContain(
      'Freezing shop.example',
    )
    expect(all.asked).toEqual([])
  })
})
