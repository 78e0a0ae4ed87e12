import { expect, test } from 'bun:test'
import { findMove } from '#dashboard/kernel/targets/moves.queries.ts'
import { declaredLost, events, movingServers } from '#tests/support/dashboard/moves.ts'

test('deletes the former copy, and the site is like any other', async () => {
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

test('is possible without a former server that was declared lost', async () => {
  await using all = await movingServers()
  await events(all, 'move', { server_id: all.second })
  await declaredLost(all, all.first)
  all.asked.length = 0

  const text = await events(all, 'move-confirm')

  expect(text).toContain('event: complete')
  expect(all.asked as unknown[]).toEqual([['two', 'site.switch', 'settled']])
  expect(await findMove(all.dashboard.db, all.shop)).toBeUndefined()
  expect((await all.dashboard.call('GET', '/api/trash')).body.trash).toEqual([])
})

test('the former copy is in the trash of the dashboard, with a day on which it is deleted', async () => {
  await using all = await movingServers()
  await events(all, 'move', { server_id: all.second })
  const { domain } = await all.site(all.shop)
  const kept = { user: 'shop1', size: 7, deleted_at: '2026-11-01T00:00:00.000Z', restorable: true }
  const made = { php: '8.2', tier: 'small', tls: 'none' } as const
  all.one.agent.trash = [{ domain, ...kept, ...made }]

  await events(all, 'move-confirm')

  const { body } = await all.dashboard.call('GET', '/api/trash')
  const [entry, ...others] = body.trash
  expect([entry, others]).toMatchObject([{ domain, size: 7, trashed_at: kept.deleted_at }, []])
  expect(Date.parse(entry.purge_at)).toBeGreaterThan(Date.now())
})

test('the former copy is listed although the trash of its server cannot be read', async () => {
  await using all = await movingServers()
  await events(all, 'move', { server_id: all.second })
  const { domain } = await all.site(all.shop)
  all.one.agent.answers.set('/trash', () => new Response('', { status: 500 }))

  const text = await events(all, 'move-confirm')

  expect(text).toContain('event: complete')
  const { body } = await all.dashboard.call('GET', '/api/trash')
  expect(body.trash).toMatchObject([{ domain, server_id: all.first, size: 1 }])
  expect(Date.parse(body.trash[0].purge_at)).toBeGreaterThan(Date.now())
})
