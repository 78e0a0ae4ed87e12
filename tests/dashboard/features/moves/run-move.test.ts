// tier: gate
import { describe, expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { AT } from '#dashboard/kernel/http/example-values.ts'
import { findMove } from '#dashboard/kernel/targets/moves.queries.ts'
import { Staging } from '#shared/sites/staging.ts'
import { hashOf } from '#tests/support/agent/staging.ts'
import { PASSWORD } from '#tests/support/dashboard/backups.ts'
import { makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
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

const test = testWith(movingServers)

const UNTIL_FROZEN = [
  ['one', 'site.switch', 'leaving'],
  ['one', 'backup.create'],
  ['two', 'site.receive'],
  ['one', 'site.switch', 'leaving'],
  ['one', 'site.gather'],
  ['two', 'site.catch-up'],
  ['one', 'site.switch', 'frozen'],
]

const ALL = [
  ...UNTIL_FROZEN,
  ['one', 'site.gather'],
  ['two', 'site.catch-up'],
  ['one', 'site.switch', 'parted'],
  ['two', 'site.switch', 'arrived'],
]

const FACTS = { user: 'other', php: '8.2', tier: 'small', tls: 'none', created_at: AT } as const

const refusing = (message: string) =>
  async function* () {
    yield 'Trying'
    throw new Refused({ error: 'Conflict', message })
  }

type Work = NonNullable<ReturnType<MovingServers['two']['agent']['works']['get']>>

const workOf = (all: MovingServers): Work => {
  const work = all.two.agent.works.get('site.catch-up')
  if (!work) throw new Error('no work')
  return work
}

/** The first works as usual. */
const refusingAfter = (usual: Work, message: string) => {
  let count = 0
  const refuse = refusing(message)
  return async function* (...call: Parameters<Work>) {
    count += 1
    return yield* count === 1 ? usual(...call) : refuse()
  } as Work
}

const move = (all: MovingServers) => events(all, 'move', { server_id: all.second })

describe('a move', () => {
  test('has each line once, although the connection is lost again and again', async (all) => {
    all.two.agent.works.set('site.receive', async function* () {
      for (const table of ['a', 'b', 'c', 'd', 'e', 'f']) yield `Copied ${table}`
      return { status: 'ok', domain: 'shop.example', certificate: '' }
    })
    all.two.agent.cut_after = 2

    const text = await move(all)

    expect(text).toContain('event: complete')
    expect([...text.matchAll(/Copied (\w)/g)].map(([, table]) => table)).toEqual([
      ...['a', 'b', 'c', 'd', 'e', 'f'],
    ])
  })

  test('copies, freezes, copies the changes, and then the record has the new server', async (all) => {
    const text = await move(all)

    expect(all.asked as unknown[]).toEqual(ALL)
    expect(text).toContain('event: complete')
    expect(text).toContain('{"name":"frozen","title":"Freezing shop.example","state":"done"}')
    const { server_id, status } = await all.site(all.shop)
    expect([server_id, status]).toEqual([all.second, 'active'])
    const shown = await all.dashboard.call(
      'GET',
      `/api/servers/${all.second}/sites/${all.shop}/move`,
    )
    expect(shown.body).toMatchObject({ move: { other_id: all.first, tls: false } })
  })

  test('gives the agents the same site, and the address of the other one', async (all) => {
    await move(all)

    const [received] = all.two.given.flatMap((each) => each['site.receive'] ?? [])
    const site = await all.site(all.shop)
    expect(received).toMatchObject({
      ...{ domain: 'shop.example', user: site.user, php: '8.2', tier: 'medium', tls: 'none' },
      from: { kind: 'backup', backup: '1'.repeat(64) },
      peers: ['127.0.0.1'],
    })
    const caught = all.two.given.flatMap((each) => each['site.catch-up'] ?? [])
    const from = { repository: site.user, password_id: passwordIdOf(PASSWORD) }
    const sent = { ...from, password: PASSWORD }
    expect(caught).toMatchObject([
      { from: sent, gathered: GATHERED },
      { from: sent, gathered: GATHERED },
    ])
    const saved = all.one.given.flatMap((each) => each['site.gather'] ?? [])
    const { snapshot: files } = GATHERED.files
    expect(saved).toMatchObject([{ from }, { from, known: HAS, files }])
  })

  test('that fails during the freeze ends it, and removes the copy', async (all) => {
    all.two.agent.works.set('site.catch-up', refusingAfter(workOf(all), 'The disk is full'))

    const text = await move(all)

    expect(text).toContain('{"error":"Conflict","message":"The disk is full"}')
    expect(all.asked as unknown[]).toEqual([
      ...UNTIL_FROZEN,
      ['one', 'site.gather'],
      ['one', 'site.switch', 'settled'],
      ['two', 'site.delete'],
      ['two', 'site.purge'],
    ])
    expect((await all.site(all.shop)).server_id).toBe(all.first)
    expect(await findMove(all.dashboard.db, all.shop)).toBeUndefined()
  })

  test('that fails before the copy exists deletes nothing on the new server', async (all) => {
    all.two.agent.works.set('site.receive', refusing('shop.example is there already'))

    await move(all)

    expect(all.asked as unknown[]).toEqual([
      ...UNTIL_FROZEN.slice(0, 2),
      ['one', 'site.switch', 'settled'],
    ])
  })

  test('continues after a restart of the dashboard, and no agent works twice', async (all) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const usual = all.two.agent.works.get('site.catch-up')
    all.two.agent.works.set('site.catch-up', async function* (params) {
      yield 'Waiting'
      await promise
      if (!usual) throw new Error('no work')
      return yield* usual(params)
    })
    const path = `/api/servers/${all.first}/sites/${all.shop}/move`
    void all.dashboard.send('POST', path, { server_id: all.second })
    await until(async () => all.two.agent.started.size > 1)

    await all.dashboard.deps.worker.stop()
    await using again = await makeDashboard({ folder: all.dashboard.folder })
    await again.deps.worker.resume()
    resolve()

    await until(async () => {
      const { body } = await again.call('GET', '/api/operations?type=site.move')
      return body.operations[0].status === 'success'
    })
    expect(all.asked as unknown[]).toEqual(ALL)
    expect([...all.one.agent.started.values(), ...all.two.agent.started.values()]).not.toContain(2)
  })
})

test('a record that a sync made of the copy does not hinder the move', async (all) => {
  const { db } = all.dashboard
  const usual = workOf(all)
  all.two.agent.works.set('site.catch-up', async function* (...call: Parameters<Work>) {
    const shop = { domain: 'shop.example', apex: 'shop.example', status: 'active' as const }
    const copy = { ...shop, server_id: all.second, managed: false, ...FACTS }
    await db.write((queries) => queries.insert(sites).values(copy).onConflictDoNothing())
    return yield* usual(...call)
  } as Work)

  const text = await move(all)

  expect(text).toContain('event: complete')
  const rows = await db.read.select().from(sites)
  expect(rows.map(({ id, server_id }) => [id, server_id])).toEqual([[all.shop, all.second]])
})

test('a record that a sync made of the copy of a failed move does not hinder the next one', async (all) => {
  const { db } = all.dashboard
  const { user = '' } = (await db.read.query.sites.findFirst()) ?? {}
  const shop = { domain: 'shop.example', apex: 'shop.example', status: 'active' as const }
  const copy = { ...shop, server_id: all.second, managed: false, ...FACTS, user }
  await db.write((queries) => queries.insert(sites).values(copy))

  expect(await move(all)).toContain('event: complete')

  const rows = await db.read.select().from(sites)
  expect(rows.map(({ id, server_id }) => [id, server_id])).toEqual([[all.shop, all.second]])
})

const UNTIL_COPIED = ALL.slice(0, 4)
const REST = ALL.slice(4, 9)
const SWITCHED = ALL.slice(9)

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

/** A staging site of the shop, on a server. */
async function addStaging(all: MovingServers, server_id: number): Promise<number> {
  const from = { kind: 'site', site_id: all.shop }
  const input = { domain: 'staging.shop-copy.example', from, staging: true, tls: 'none' }
  const { id } = (await all.clone(server_id, input)).body.site
  await until(async () => (await all.site(id)).status === 'active')
  return id
}

const moveTo = (all: MovingServers, id: number, server_id: number) =>
  events(all, 'move', { server_id }, id)

test('a staging site keeps its protection, with its name and password', async () => {
  await using all = await movingServers()
  const staging = await addStaging(all, all.first)

  expect(await moveTo(all, staging, all.second)).toContain('event: complete')

  const [received] = all.two.given.flatMap((each) => each['site.receive'] ?? [])
  const at = `/api/servers/${all.second}/sites/${staging}/staging-password`
  const { user, password } = (await all.dashboard.call('POST', at, {})).body
  const { password_hash, ...others } = Staging.parse(Object(received).staging)
  expect(others).toEqual({ of: 'shop.example', user })
  const salt = Buffer.from(password_hash.slice('{SSHA}'.length), 'base64').subarray(20)
  expect(password_hash).toBe(hashOf(password, salt))
})

test('a staging site on another server can be pushed once it is on that of its live site', async () => {
  await using all = await movingServers()
  const staging = await addStaging(all, all.second)
  const push = () =>
    all.dashboard.call('POST', `/api/servers/${all.first}/sites/${all.shop}/push`, {
      ...{ staging_id: staging, files: true, without_backup: true, dry_run: true },
    })

  const { status, body } = await push()
  expect([status, body.message]).toEqual([
    409,
    'staging.shop-copy.example is on another server than its live site: move it there to compare or push it',
  ])
  expect(await moveTo(all, staging, all.first)).toContain('event: complete')

  expect((await push()).status).toBe(200)
})

test('a staging site whose live site is gone does not move', async () => {
  await using all = await movingServers()
  const staging = await addStaging(all, all.first)
  await all.dashboard.db.write((queries) => queries.delete(sites).where(eq(sites.id, all.shop)))

  const at = `/api/servers/${all.first}/sites/${staging}/move`
  const { status, body } = await all.dashboard.call('POST', at, { server_id: all.second })

  expect([status, body.message]).toEqual([409, 'It is not the staging site of a recorded site'])
})
