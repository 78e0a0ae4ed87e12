// tier: gate
import { expect, test } from 'bun:test'
import { storeProgress } from '#dashboard/features/moves/queries.ts'
import { findMove } from '#dashboard/kernel/targets/moves.queries.ts'
import {
  decides,
  events,
  gone,
  type MovingServers,
  movingServers,
  rename,
} from '#tests/support/dashboard/moves.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const move = (all: MovingServers) => events(all, 'move', { server_id: all.second })
const removed = (all: MovingServers) =>
  all.asked.filter(([, command]) => command === 'site.delete' || command === 'site.purge')

test.each(['no host', '127.0.0.2'])(
  'a server that forwards already: its lost answer is asked for, also if the other is at %p now',
  async (name) => {
    await using all = await movingServers()
    const { agent } = all.one
    decides(all, async () => {
      await rename(all, all.second, name)
      gone(all, 'one')
      setTimeout(() => agent.listen(), 50)
    })

    const text = await move(all)
    await rename(all, all.second, 'localhost')
    const repeated = await move(all)

    expect(text).toContain('event: error')
    expect(repeated).toContain('event: complete')
    expect(removed(all)).toEqual([])
    expect((await all.site(all.shop)).server_id).toBe(all.second)
  },
)

test('a repeated move removes no copy before the server of the site says that it serves the site', async () => {
  await using all = await movingServers()
  decides(all, () => {
    throw new Refused({ error: 'Conflict', message: 'The answer was lost' })
  })

  await move(all)
  const repeated = await move(all)

  expect(repeated).toContain('shop.example cannot become')
  expect(removed(all)).toEqual([])
})

test('a move that failed after the call that decides is still undecided', async () => {
  await using all = await movingServers()
  const { agent } = all.one
  const { db } = all.dashboard
  decides(all, () => gone(all, 'one'))
  await move(all)
  const { progress } = (await findMove(db, all.shop)) ?? {}
  await storeProgress(db, all.shop, { ...progress, failure: { error: 'Conflict' } })
  agent.listen()

  const repeated = await move(all)

  expect(repeated).toContain('event: complete')
  expect(removed(all)).toEqual([])
})
