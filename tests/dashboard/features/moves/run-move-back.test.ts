// tier: gate
import { expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import { servers } from '#dashboard/kernel/db/schema.ts'
import { findMove } from '#dashboard/kernel/targets/moves.queries.ts'
import { PASSWORD } from '#tests/support/dashboard/backups.ts'
import {
  events,
  GATHERED,
  gone,
  HAS,
  hangs,
  type MovingServers,
  movingServers,
} from '#tests/support/dashboard/moves.ts'
import { Refused } from '#tests/support/fake-operation.ts'
import { testWith } from '#tests/support/fixture.ts'
import { passwordIdOf } from '#tests/support/repository-password.ts'

const test = testWith(moved)

async function moved(): Promise<MovingServers> {
  const all = await movingServers()
  await events(all, 'move', { server_id: all.second })
  all.asked.length = 0
  return all
}

const WAY = [
  ['one', 'site.switch', 'returning'],
  ['two', 'site.switch', 'leaving'],
]

const BACK = [
  ['one', 'site.switch', 'arriving'],
  ['two', 'site.switch', 'parted'],
  ['one', 'site.switch', 'arrived'],
]

test('copies the changes while the site serves and again, and the servers change places', async (all) => {
  const text = await events(all, 'move-back')

  expect(text).toContain('event: complete')
  expect(all.asked as unknown[]).toEqual([
    ...WAY,
    ['two', 'backup.create'],
    ['two', 'site.gather'],
    ['one', 'site.catch-up'],
    ...WAY,
    ['two', 'site.switch', 'frozen'],
    ['two', 'site.gather'],
    ['one', 'site.catch-up'],
    ...BACK,
  ])
  const { server_id } = await all.site(all.shop)
  const { other_id } = (await findMove(all.dashboard.db, all.shop)) ?? {}
  expect([server_id, other_id]).toEqual([all.first, all.second])
})

test('gives the copy the settings of the site once, before the freeze, and what it has after', async (all) => {
  all.one.given.length = 0
  all.two.given.length = 0

  await events(all, 'move-back')

  const caught = all.one.given.flatMap((each) => each['site.catch-up'] ?? [])
  const { user } = await all.site(all.shop)
  // The former server knows the password of the first repository.
  const from = { repository: `${user}-2`, password_id: passwordIdOf(PASSWORD) }
  const sent = { ...from, password: PASSWORD }
  const backup = '1'.repeat(64)
  expect(caught).toMatchObject([
    { from: { ...sent, backup }, gathered: GATHERED },
    { from: sent, gathered: GATHERED },
  ])
  expect(Object(caught[1]).from.backup).toBeUndefined()
  const saved = all.two.given.flatMap((each) => each['site.gather'] ?? [])
  expect(saved).toMatchObject([{ from }, { from, known: HAS }])
  const ways = [all.one, all.two].map(({ given }) =>
    given.flatMap((each) => each['site.switch'] ?? []),
  )
  const challenges = ways.map((way) =>
    way.map((each) => [Object(each).state, Object(each).challenges]),
  )
  // The copy keeps the challenges of the site before the site forwards them to it.
  expect(challenges[0]?.slice(0, 2)).toEqual([
    ['returning', undefined],
    ['returning', undefined],
  ])
  expect(challenges[1]?.[0]).toEqual(['leaving', true])
})

test('is refused while the other server is offline, or has not the PHP version', async (all) => {
  const { db } = all.dashboard
  const set = (values: Partial<typeof servers.$inferInsert>) =>
    db.write((queries) => queries.update(servers).set(values).where(eq(servers.id, all.first)))
  const refused = async (body: object) => {
    const path = `/api/servers/${all.second}/sites/${all.shop}/move-back`
    const { status, body: answer } = await all.dashboard.call('POST', path, body)
    return [status, answer.message]
  }

  await set({ php_versions: ['8.4'] })
  const php = await refused({})
  await set({ status: 'offline' })
  const offline = await refused({ discard_changes: true })

  const reason = 'does not have PHP 8.2: install it there, or change that of the site'
  const [name] = await db.read.select().from(servers).where(eq(servers.id, all.first))
  expect(php).toEqual([409, `${name?.name} ${reason}`])
  expect(offline).toEqual([409, `${name?.name} is not online`])
})

test('leaves the changes behind only on request', async (all) => {
  await events(all, 'move-back', { discard_changes: true })

  expect(all.asked as unknown[]).toEqual([
    ...WAY,
    ...WAY,
    ['two', 'site.switch', 'frozen'],
    ...BACK,
  ])
})

test('that fails leaves the site where it is, and the other server forwards again', async (all) => {
  const usual = all.two.agent.works.get('site.switch')
  all.two.agent.works.set('site.switch', async function* (params) {
    if (params.state === 'parted') throw new Refused({ error: 'Conflict', message: 'Too late' })
    if (!usual) throw new Error('no work')
    return yield* usual(params)
  })

  const text = await events(all, 'move-back', { discard_changes: true })

  expect(text).toContain('{"error":"Conflict","message":"Too late"}')
  expect(all.asked as unknown[]).toEqual([
    ...WAY,
    ...WAY,
    ['two', 'site.switch', 'frozen'],
    ['one', 'site.switch', 'arriving'],
    ['two', 'site.switch', 'arrived'],
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

test('needs the right on the server to which the site returns', async (all) => {
  const { dashboard, shop, first, second } = all
  const operator = (part: object) =>
    ({ gives: 'operator', tag: null, server_id: null, site_id: null, ...part }) as const
  const status = async (...parts: object[]) => {
    const headers = await dashboard.signInWith([], parts.map(operator))
    const path = `/api/servers/${second}/sites/${shop}/move-back`
    return (await dashboard.call('POST', path, { dry_run: true }, headers)).status
  }

  expect([
    await status({ site_id: shop }),
    await status({ server_id: second }),
    await status({ site_id: shop }, { server_id: first }),
  ]).toEqual([403, 403, 200])
})
