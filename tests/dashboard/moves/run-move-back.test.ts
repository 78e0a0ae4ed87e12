import { expect, test } from 'bun:test'
import { findMove } from '#dashboard/moves/queries.ts'
import { events, type MovingServers, movingServers } from '#tests/support/dashboard/moves.ts'
import { Refused } from '#tests/support/fake-operation.ts'

async function moved(): Promise<MovingServers> {
  const all = await movingServers()
  await events(all, 'move', { server_id: all.second })
  all.asked.length = 0
  return all
}

const BACK = [
  ['one', 'site.switch', 'arriving'],
  ['two', 'site.switch', 'parted'],
  ['one', 'site.switch', 'arrived'],
]

test('brings what has changed, and the servers change places', async () => {
  await using all = await moved()

  const text = await events(all, 'move-back')

  expect(text).toContain('event: complete')
  expect(all.asked as unknown[]).toEqual([
    ['two', 'backup.create'],
    ['two', 'site.switch', 'frozen'],
    ['two', 'site.gather'],
    ['one', 'site.catch-up'],
    ...BACK,
  ])
  const { server_id } = await all.site(all.shop)
  const { other_id } = (await findMove(all.dashboard.db, all.shop)) ?? {}
  expect([server_id, other_id]).toEqual([all.first, all.second])
})

test('leaves the changes behind only on request', async () => {
  await using all = await moved()

  await events(all, 'move-back', { discard_changes: true })

  expect(all.asked as unknown[]).toEqual([['two', 'site.switch', 'frozen'], ...BACK])
})

test('that fails leaves the site where it is, and the other server forwards again', async () => {
  await using all = await moved()
  const usual = all.two.agent.works.get('site.switch')
  all.two.agent.works.set('site.switch', async function* (params) {
    if (params.state === 'parted') throw new Refused({ error: 'Conflict', message: 'Too late' })
    if (!usual) throw new Error('no work')
    return yield* usual(params)
  })

  const text = await events(all, 'move-back', { discard_changes: true })

  expect(text).toContain('{"error":"Conflict","message":"Too late"}')
  expect(all.asked as unknown[]).toEqual([
    ['two', 'site.switch', 'frozen'],
    ['one', 'site.switch', 'arriving'],
    ['two', 'site.switch', 'thawed'],
    ['one', 'site.switch', 'parted'],
  ])
  expect((await all.site(all.shop)).server_id).toBe(all.second)
})

test('is refused for a site that has not moved', async () => {
  await using all = await movingServers()

  const path = `/api/servers/${all.first}/sites/${all.shop}/move-back`
  const { status, body } = await all.dashboard.call('POST', path, {})

  expect([status, body.message]).toEqual([409, 'shop.example has no move to confirm or to undo'])
})
