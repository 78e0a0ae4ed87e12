import { expect, test } from 'bun:test'
import {
  events,
  type MovingServers,
  movingServers,
  rename,
} from '#tests/support/dashboard/moves.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const FAST = { retry_min_ms: 20, retry_max_ms: 20 }
const move = (all: MovingServers) => events(all, 'move', { server_id: all.second })

/** Each time the new server opens the site; returns when that was. */
function opens(all: MovingServers, each: (count: number) => void | Promise<void>): number[] {
  const times: number[] = []
  const { works } = all.two.agent
  const usual = works.get('site.switch')
  if (!usual) throw new Error('no work')
  works.set('site.switch', async function* (params) {
    times.push(performance.now())
    yield 'Opening'
    await each(times.length)
    return yield* usual(params)
  })
  return times
}

test('pauses between the tries', async () => {
  await using all = await movingServers({ retry_min_ms: 300, retry_max_ms: 300 })
  const times = opens(all, (count) => {
    if (count === 1) throw new Refused({ error: 'Conflict', message: 'The agent was restarted' })
  })

  const text = await move(all)

  expect(text).toContain('event: complete')
  const [first = 0, second = 0] = times
  expect(second - first).toBeGreaterThan(290)
})

test('waits for the name of the former server, which cannot be resolved for a moment', async () => {
  await using all = await movingServers(FAST)
  const { agent } = all.two
  opens(all, async (count) => {
    if (count > 1) return
    await rename(all, all.first, 'no host')
    void agent.stop()
    setTimeout(() => agent.listen(), 20)
    setTimeout(() => void rename(all, all.first, '127.0.0.1'), 400)
  })

  const text = await move(all)

  expect(text).toContain('event: complete')
  expect((await all.site(all.shop)).server_id).toBe(all.second)
})
