import { expect, test } from 'bun:test'
import { findMove } from '#dashboard/moves/queries.ts'
import { events, movingServers } from '#tests/support/dashboard/moves.ts'

test('deletes the former copy, and the site is as any other', async () => {
  await using all = await movingServers()
  await events(all, 'move', { server_id: all.second })
  all.asked.length = 0

  const text = await events(all, 'move-confirm')

  expect(text).toContain('event: complete')
  expect(all.asked as unknown[]).toEqual([
    ['one', 'site.delete'],
    ['two', 'site.switch', 'settled'],
  ])
  expect(await findMove(all.dashboard.db, all.shop)).toBeUndefined()
  expect((await all.site(all.shop)).server_id).toBe(all.second)
})
