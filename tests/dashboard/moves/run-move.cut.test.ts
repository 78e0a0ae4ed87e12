import { expect, test } from 'bun:test'
import { sites } from '#dashboard/db/schema.ts'
import { findMove } from '#dashboard/moves/queries.ts'
import {
  events,
  gone,
  hangs,
  type MovingServers,
  movingServers,
} from '#tests/support/dashboard/moves.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const UNTIL_COPIED = [
  ['one', 'site.switch', 'leaving'],
  ['one', 'backup.create'],
  ['two', 'site.receive'],
  ['one', 'site.switch', 'leaving'],
]
const REST = [
  ['one', 'site.gather'],
  ['two', 'site.catch-up'],
  ['one', 'site.switch', 'frozen'],
  ['one', 'site.gather'],
  ['two', 'site.catch-up'],
]
const SWITCHED = [
  ['one', 'site.switch', 'parted'],
  ['two', 'site.switch', 'arrived'],
]
const move = (all: MovingServers) => events(all, 'move', { server_id: all.second })
const asked = (all: MovingServers) => all.asked.splice(0) as unknown[]

test('a new server that is gone permanently ends the move, and the next move removes its copy first', async () => {
  await using all = await movingServers()
  const { agent } = all.two
  const hanging = hangs(all, { of: 'two', command: 'site.catch-up' }, () => gone(all, 'two'))

  const text = await move(all)

  expect(text).toContain('event: error')
  expect(asked(all)).toEqual([
    ...UNTIL_COPIED,
    ['one', 'site.gather'],
    ['one', 'site.switch', 'settled'],
  ])
  hanging.ends()
  agent.listen()
  expect(await move(all)).toContain('event: complete')
  expect(asked(all)).toEqual([
    ...UNTIL_COPIED.slice(0, 1),
    ['two', 'site.delete'],
    ['two', 'site.purge'],
    ...UNTIL_COPIED.slice(1),
    ...REST,
    ...SWITCHED,
  ])
  const deleted = all.two.given.flatMap((each) => each['site.delete'] ?? [])
  expect(deleted).toEqual([{ domain: 'shop.example', copy: true }])
})

test('an agent that hangs during the freeze is cancelled, and the site is served again', async () => {
  await using all = await movingServers({ freeze_ms: 400 })
  hangs(all, { of: 'one', command: 'site.gather', when: ({ known }) => known !== undefined })

  const text = await move(all)

  expect(text).toContain('"The freeze took too long, and has ended"')
  expect(all.one.agent.cancelled).toEqual([expect.stringMatching(/-changes forced$/)])
  expect(asked(all)).toEqual([
    ...UNTIL_COPIED,
    ...REST.slice(0, 3),
    ['one', 'site.switch', 'settled'],
    ['two', 'site.delete'],
    ['two', 'site.purge'],
  ])
  expect(await findMove(all.dashboard.db, all.shop)).toBeUndefined()
})

test('an old server that is gone after the call that decides: only the repeated move decides', async () => {
  await using all = await movingServers()
  const { agent } = all.one
  const isParting = ({ state }: Record<string, unknown>) => state === 'parted'
  const hanging = hangs(all, { of: 'one', command: 'site.switch', when: isParting }, () =>
    gone(all, 'one'),
  )

  const text = await move(all)

  expect(text).toContain('event: error')
  expect(asked(all)).toEqual([...UNTIL_COPIED, ...REST])
  hanging.ends()
  agent.listen()
  // A sync does not find it on a server that only forwards.
  await all.dashboard.db.write((queries) => queries.update(sites).set({ status: 'missing' }))
  const at = `/api/servers/${all.first}/sites/${all.shop}`
  const deleted = await all.dashboard.call('DELETE', at)
  const reason = 'A move of shop.example has not ended: retry it before you delete the site'
  expect([deleted.status, deleted.body.message]).toEqual([409, reason])
  expect(await move(all)).toContain('event: complete')
  expect(asked(all)).toEqual(SWITCHED)
  expect(await all.site(all.shop)).toMatchObject({ server_id: all.second, status: 'active' })
})

test('a missing site that no move explains does not move', async () => {
  await using all = await movingServers()
  await all.dashboard.db.write((queries) => queries.update(sites).set({ status: 'missing' }))

  const path = `/api/servers/${all.first}/sites/${all.shop}/move`
  const { status, body } = await all.dashboard.call('POST', path, { server_id: all.second })

  const reason = 'shop.example is not in use: its status is missing'
  expect([status, body.message]).toEqual([409, reason])
})

test('a new server that restarts while it opens the site is asked again', async () => {
  await using all = await movingServers()
  const usual = all.two.agent.works.get('site.switch')
  let opened = 0
  all.two.agent.works.set('site.switch', async function* (params) {
    opened += 1
    if (opened === 1) throw new Refused({ error: 'Conflict', message: 'The agent was restarted' })
    if (!usual) throw new Error('no work')
    return yield* usual(params)
  })

  const text = await move(all)

  expect(text).toContain('Trying again: The agent was restarted')
  expect(text).toContain('event: complete')
  expect(asked(all)).toEqual([...UNTIL_COPIED, ...REST, ...SWITCHED])
})
