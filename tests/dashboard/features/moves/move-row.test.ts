import { expect, test } from 'bun:test'
import { findMove } from '#dashboard/kernel/targets/moves.queries.ts'
import { events, movingServers } from '#tests/support/dashboard/moves.ts'
import { ended } from '#tests/support/dashboard/operations.ts'
import { Refused } from '#tests/support/fake-operation.ts'

test('the retry of an old move leaves the record of a later one, which is not confirmed', async () => {
  await using all = await movingServers()
  const { dashboard, shop } = all
  const { works } = all.two.agent
  const usual = works.get('site.receive')
  works.set('site.receive', async function* () {
    yield 'Trying'
    throw new Refused({ error: 'Conflict', message: 'The disk is full' })
  })
  await events(all, 'move', { server_id: all.second })
  const { body } = await dashboard.call('GET', '/api/operations?type=site.move')
  if (usual) works.set('site.receive', usual)
  await events(all, 'move', { server_id: all.second })
  await events(all, 'move-back', { discard_changes: true })
  const before = await findMove(dashboard.db, shop)

  const path = `/api/operations/${body.operations[0].id}/retry`
  const response = await dashboard.send('POST', path)
  const operation = await ended(dashboard, response.headers.get('operation-id') ?? '')

  const message = 'shop.example has moved before: confirm that move, or move the site back'
  expect(operation).toMatchObject({ status: 'failed', error: { error: 'Conflict', message } })
  expect(before?.other_id).toBe(all.second)
  expect(await findMove(dashboard.db, shop)).toEqual(before)
})
