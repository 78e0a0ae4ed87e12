import { expect, test } from 'bun:test'
import { events, hangs, type MovingServers, movingServers } from '#tests/support/dashboard/moves.ts'

const SHORT = { deadline_ms: 1500, retry_max_ms: 20 }

/** A moved site whose present server is gone permanently as soon as it gets a state. */
async function cutOff(state: string): Promise<{ all: MovingServers; text: string }> {
  const all = await movingServers(SHORT)
  await events(all, 'move', { server_id: all.second })
  all.asked.length = 0
  const { agent } = all.two
  const when = (params: Record<string, unknown>) => params.state === state
  const hanging = hangs(all, { of: 'two', command: 'site.switch', when }, () => void agent.stop())
  const text = await events(all, 'move-back', { discard_changes: true })
  hanging.ends()
  agent.listen()
  all.asked.length = 0
  return { all, text }
}

test('a server that is gone permanently ends the move back, which can be repeated', async () => {
  const { all, text } = await cutOff('leaving')
  await using _ = all

  expect(text).toContain('event: error')
  expect(await events(all, 'move-back')).toContain('event: complete')
  expect((await all.site(all.shop)).server_id).toBe(all.first)
})

test('what a move back could not decide is not confirmed, and the repeated one decides', async () => {
  const { all, text } = await cutOff('parted')
  await using _ = all

  expect(text).toContain('event: error')
  const confirmed = await events(all, 'move-confirm')
  expect(confirmed).toContain('A move of shop.example could not end: repeat it first')
  expect(all.asked).toEqual([])
  expect(await events(all, 'move-back')).toContain('event: complete')
  expect(all.asked as unknown[]).toEqual([
    ['two', 'site.switch', 'parted'],
    ['one', 'site.switch', 'arrived'],
  ])
  expect((await all.site(all.shop)).server_id).toBe(all.first)
})
