import { expect, test } from 'bun:test'
import {
  events,
  gone,
  hangs,
  type MovingServers,
  movingServers,
} from '#tests/support/dashboard/moves.ts'
import { Refused } from '#tests/support/fake-operation.ts'

/** A moved site whose current server is lost permanently as soon as it gets a state. */
async function cutOff(state: string): Promise<{ all: MovingServers; text: string }> {
  const all = await movingServers()
  await events(all, 'move', { server_id: all.second })
  all.asked.length = 0
  const { agent } = all.two
  const when = (params: Record<string, unknown>) => params.state === state
  const hanging = hangs(all, { of: 'two', command: 'site.switch', when }, () => gone(all, 'two'))
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

test('an undecided move back is not confirmed, and the repeated one decides', async () => {
  const { all, text } = await cutOff('parted')
  await using _ = all

  expect(text).toContain('event: error')
  const confirmed = await events(all, 'move-confirm')
  expect(confirmed).toContain('A move of shop.example has not ended: retry it first')
  expect(all.asked).toEqual([])
  expect(await events(all, 'move-back')).toContain('event: complete')
  expect(all.asked as unknown[]).toEqual([
    ['two', 'site.switch', 'parted'],
    ['one', 'site.switch', 'arrived'],
  ])
  expect((await all.site(all.shop)).server_id).toBe(all.first)
})

/** The former server, like a real one, refuses to return while it only has the closed copy. */
function remembers(all: MovingServers, refused: { parted: boolean }): void {
  const { works } = all.one.agent
  const usual = works.get('site.switch')
  if (!usual) throw new Error('no work')
  let isForwarding = true
  works.set('site.switch', async function* (params) {
    const state = String(params.state)
    const isRefused = state === 'parted' ? refused.parted : state === 'returning' && !isForwarding
    yield 'Trying'
    if (isRefused) throw new Refused({ error: 'Conflict', message: `cannot become ${state}` })
    if (state === 'parted') isForwarding = true
    if (state === 'arriving') isForwarding = false
    return yield* usual(params)
  })
}

test('a former server that was started again, and did not get back to forwarding, needs one repeat', async () => {
  await using all = await movingServers()
  await events(all, 'move', { server_id: all.second })
  const refused = { parted: true }
  remembers(all, refused)
  const usual = all.two.agent.works.get('site.switch')
  if (!usual) throw new Error('no work')
  all.two.agent.works.set('site.switch', async function* (params) {
    yield 'Trying'
    if (params.state !== 'parted') return yield* usual(params)
    throw new Refused({ error: 'Conflict', message: 'Too late' })
  })

  const failed = await events(all, 'move-back', { discard_changes: true })
  refused.parted = false
  all.two.agent.works.set('site.switch', usual)
  const text = await events(all, 'move-back', { discard_changes: true })

  expect(failed).toContain('cannot become parted')
  expect(text).toContain('event: complete')
  expect((await all.site(all.shop)).server_id).toBe(all.first)
})
