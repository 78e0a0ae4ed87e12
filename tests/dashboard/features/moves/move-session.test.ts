import { expect, test } from 'bun:test'
import { events, movingServers } from '#tests/support/dashboard/moves.ts'

test('a server that is unreachable for a moment is waited for, in the first delivery too', async () => {
  await using all = await movingServers({ retry_min_ms: 20, retry_max_ms: 20 })
  const { agent } = all.two
  const usual = agent.works.get('site.receive')
  agent.works.set('site.receive', async function* (params) {
    yield 'Waiting'
    void agent.stop()
    setTimeout(() => agent.listen(), 100)
    if (!usual) throw new Error('no work')
    return yield* usual(params)
  })

  const text = await events(all, 'move', { server_id: all.second })

  expect(text).toContain('event: complete')
  expect((await all.site(all.shop)).server_id).toBe(all.second)
})
