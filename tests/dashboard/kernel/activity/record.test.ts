// tier: gate
import { describe, expect, test } from 'bun:test'
import { ActivityRecord, CHECKPOINT_FILE } from '#dashboard/kernel/activity/record.ts'
import { openDatabase } from '#dashboard/kernel/db/client.ts'
import { type Dashboard, dashboardTest, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { AT, lastId, problemOf, record, tamper } from '#tests/support/dashboard/record.ts'

const verify = async (of: Dashboard) => (await of.call('GET', '/api/activity/verify')).body

/** Ten sealed activities; the first is the login of the browser. */
async function makeSealed(): Promise<Dashboard> {
  const dashboard = await makeDashboard()
  await record(dashboard, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'])
  await dashboard.deps.record.seal()
  return dashboard
}

describe('the record of the activity', () => {
  dashboardTest('is complete, and names what is not sealed yet', async (dashboard) => {
    const { record: chain } = dashboard.deps
    const id = await lastId(dashboard)
    expect(await verify(dashboard)).toMatchObject({ ok: true, entries: 0, unsealed: id })
    await record(dashboard, ['a.example', 'b.example'])

    const sealed = await chain.seal()

    expect(sealed).toBe(id + 2)
    await record(dashboard, ['c.example'])
    const result = await verify(dashboard)
    expect(result).toEqual({
      ok: true,
      entries: id + 2,
      unsealed: 1,
      checkpoint: expect.stringContaining(`\n${id + 2}\n`),
      verifier: expect.stringMatching(/^hosting-control\/[0-9a-f]{16}\+[0-9a-f]{8}\+/),
      problem: null,
      verified_at: expect.any(String),
    })
    expect(await chain.seal()).toBe(1)
    expect(await chain.seal()).toBe(0)
  })

  dashboardTest('has a second link for the end of what was running', async (dashboard) => {
    const { record: chain } = dashboard.deps
    await record(dashboard, ['a.example'], { status: 'running', operation_id: 'op' })
    await chain.seal()
    const id = await lastId(dashboard)
    await tamper(dashboard, `update activities set status = 'failed' where id = ${id}`)
    expect(await verify(dashboard)).toMatchObject({ ok: true, entries: id, unsealed: 1 })

    expect(await chain.seal()).toBe(1)

    expect(await verify(dashboard)).toMatchObject({ ok: true, entries: id, unsealed: 0 })
    await tamper(dashboard, `update activities set status = 'success' where id = ${id}`)
    expect(await problemOf(dashboard)).toEqual({ code: 'changed', id })
    expect(await chain.seal()).toBe(0)
  })

  test('covers the activities of an earlier version, from the first seal on', async () => {
    await using dashboard = await makeDashboard()
    await record(
      dashboard,
      Array.from({ length: 1_200 }, (_, at) => `${at}.example`),
    )
    const entries = await lastId(dashboard)

    await dashboard.deps.record.seal()

    expect(await verify(dashboard)).toMatchObject({ ok: true, entries, unsealed: 0 })
  })
})

/** The reasons of the item of the overview. */
async function critical(of: Dashboard): Promise<string[]> {
  const { attention } = (await of.call('GET', '/api/fleet')).body
  const found = attention.filter(({ kind }: { kind: string }) => kind === 'records_changed')
  return found.flatMap(({ items }: { items: { reason: string }[] }) =>
    items.map(({ reason }) => reason),
  )
}

type Tampering = [what: string, statements: string[], problem: { code: string; id: number | null }]

const swap = (table: string, column: string, one: number, other: number) => [
  `update ${table} set ${column} = -1 where ${column} = ${one}`,
  `update ${table} set ${column} = ${one} where ${column} = ${other}`,
  `update ${table} set ${column} = ${other} where ${column} = -1`,
]
const forged = (id: number) =>
  `insert into activities (id, type, domain, status, created_at) values (${id}, 'auth.login', '', 'success', '${AT}')`

const TAMPERINGS: Tampering[] = [
  [
    'a changed domain',
    ["update activities set domain = 'x' where id = 5"],
    { code: 'changed', id: 5 },
  ],
  [
    'a changed user',
    ['update activities set user_id = 9 where id = 5'],
    { code: 'changed', id: 5 },
  ],
  [
    'a changed source',
    ["update activities set via = 'agent' where id = 5"],
    { code: 'changed', id: 5 },
  ],
  [
    'a changed status',
    ["update activities set status = 'failed' where id = 5"],
    { code: 'changed', id: 5 },
  ],
  [
    'a changed last one',
    ["update activities set type = 'x' where id = 10"],
    { code: 'changed', id: 10 },
  ],
  [
    'a changed hash',
    ["update activity_links set hash = 'x' where seq = 5"],
    { code: 'changed', id: 5 },
  ],
  ['a removed one', ['delete from activities where id = 5'], { code: 'removed', id: 5 }],
  ['the first one removed', ['delete from activities where id = 1'], { code: 'removed', id: 1 }],
  [
    'one removed with its link',
    ['delete from activities where id = 5', 'delete from activity_links where seq = 5'],
    { code: 'link_missing', id: 6 },
  ],
  [
    'one removed, the places closed up',
    [
      'delete from activities where id = 5',
      'delete from activity_links where seq = 5',
      'update activity_links set seq = seq - 1 where seq > 5',
    ],
    { code: 'changed', id: 6 },
  ],
  ['one before the first', [forged(-3)], { code: 'inserted', id: -3 }],
  [
    'one inserted',
    [
      'update activities set id = id + 1000 where id > 4',
      forged(5),
      'update activities set id = id - 999 where id > 1000',
    ],
    { code: 'changed', id: 5 },
  ],
  [
    'one inserted with a link',
    [
      'delete from activities where id = 5',
      'update activity_links set activity_id = 6 where seq = 5',
    ],
    { code: 'changed', id: 6 },
  ],
  ['two swapped', swap('activities', 'id', 4, 6), { code: 'changed', id: 4 }],
  ['two links swapped', swap('activity_links', 'seq', 4, 5), { code: 'inserted', id: 4 }],
  ['the last one removed', ['delete from activities where id = 10'], { code: 'removed', id: 10 }],
  [
    'the last ones removed with their links',
    ['delete from activities where id > 7', 'delete from activity_links where seq > 7'],
    { code: 'truncated', id: 7 },
  ],
  [
    'the first ones removed with their links',
    ['delete from activities where id < 4', 'delete from activity_links where seq < 4'],
    { code: 'link_missing', id: 4 },
  ],
  [
    'a link after the checkpoint',
    ["insert into activity_links values (11, 11, 'success', 'x', 0)"],
    { code: 'contradiction', id: 10 },
  ],
  ['no checkpoint', ['delete from activity_heads'], { code: 'checkpoint_missing', id: null }],
  [
    'a smaller size in the checkpoint',
    [
      "update activity_heads set note = replace(note, char(10) || '10' || char(10), char(10) || '9' || char(10))",
    ],
    { code: 'checkpoint_forged', id: null },
  ],
  [
    'everything removed',
    ['delete from activities', 'delete from activity_links', 'delete from activity_heads'],
    { code: 'older', id: null },
  ],
]

describe('tampering by somebody who can write to the database is found', () => {
  test.each(TAMPERINGS)('%s', async (_, statements, problem) => {
    await using dashboard = await makeSealed()
    expect(await lastId(dashboard)).toBe(10)

    await tamper(dashboard, ...statements)

    expect(await problemOf(dashboard)).toEqual(problem)
  })

  test('an older state of the database, by its dashboard and by its next process', async () => {
    await using dashboard = await makeSealed()
    const { record: chain } = dashboard.deps
    await chain.keep()
    const older = await Bun.file(`${dashboard.folder}/${CHECKPOINT_FILE}`).text()
    await record(dashboard, ['j', 'k'])
    await chain.seal()
    await chain.keep()

    await tamper(
      dashboard,
      'delete from activities where id > 10',
      'delete from activity_links where seq > 10',
      `update activity_heads set note = '${older}'`,
    )

    const problem = { code: 'older', id: 10 }
    expect(await problemOf(dashboard)).toEqual(problem)
    const next = new ActivityRecord({ ...dashboard.deps, data_dir: dashboard.folder })
    expect((await next.verify()).problem).toMatchObject(problem)
    const elsewhere = new ActivityRecord({ ...dashboard.deps, data_dir: undefined })
    expect((await elsewhere.verify()).ok).toBe(true)
  })

  test('a chain that a copy with the same secret continued in another way', async () => {
    await using dashboard = await makeSealed()
    const { record: chain } = dashboard.deps
    const other = new ActivityRecord({ ...dashboard.deps, data_dir: undefined })
    await record(dashboard, ['j'])
    await chain.seal()
    await tamper(
      dashboard,
      'delete from activity_heads',
      'delete from activity_links',
      "update activities set domain = 'x' where id = 3",
    )

    await other.seal()

    expect((await other.verify()).ok).toBe(true)
    expect(await problemOf(dashboard)).toEqual({ code: 'contradiction', id: 11 })
  })

  test('nothing is appended to it, which is logged once', async () => {
    await using dashboard = await makeSealed()
    const { record: chain } = dashboard.deps
    await tamper(dashboard, 'delete from activity_heads')
    await record(dashboard, ['j'])

    expect([await chain.seal(), await chain.seal()]).toEqual([0, 0])

    expect(dashboard.log.filter((line) => line.includes('changed outside'))).toHaveLength(1)
    expect(await critical(dashboard)).toEqual([
      'The checkpoint of the record was removed: the record of the activity was changed outside of the dashboard, or is that of an older copy. See the page Activity',
    ])
  })

  test('a link in the place of the next one does not stop the sealing silently', async () => {
    await using dashboard = await makeSealed()
    await tamper(dashboard, "insert into activity_links values (11, 11, 'success', 'x', 0)")
    await record(dashboard, ['j'])

    expect(await dashboard.deps.record.seal()).toBe(0)

    expect(dashboard.log.filter((line) => line.includes('changed outside'))).toHaveLength(1)
  })
})

describe('the sealing', () => {
  test('of several dashboards at once gives each activity one link', async () => {
    await using dashboard = await makeDashboard()
    const open = () => openDatabase(`file:${dashboard.folder}/test.db`)
    const others = await Promise.all([open(), open()])
    const chains = others.map((db) => new ActivityRecord({ ...dashboard.deps, db }))
    const all = [dashboard.deps.record, ...chains]
    const writing = record(
      dashboard,
      Array.from({ length: 300 }, (_, at) => `${at}.example`),
    )

    for (let round = 0; round < 30; round++) {
      await Promise.all(all.map((chain) => chain.seal()))
      await Bun.sleep(2)
    }

    await writing
    for (const chain of all) await chain.seal()
    expect(await verify(dashboard)).toMatchObject({ ok: true, entries: await lastId(dashboard) })
    for (const chain of chains) expect((await chain.verify()).ok).toBe(true)
    for (const db of others) db.close()
  })

  test('that ends in the middle is continued by the next process', async () => {
    await using dashboard = await makeDashboard()
    await record(
      dashboard,
      Array.from({ length: 1_200 }, (_, at) => `${at}.example`),
    )
    const db = { ...dashboard.db }
    let writes = 0
    db.write = (work) => {
      if (++writes > 1) return Promise.reject(new Error('killed'))
      return dashboard.db.write(work)
    }
    const killed = new ActivityRecord({ ...dashboard.deps, db })
    await expect(killed.seal()).rejects.toThrow('killed')
    expect(await verify(dashboard)).toMatchObject({ ok: true, entries: 500 })

    await dashboard.deps.record.seal()

    expect(await verify(dashboard)).toMatchObject({ ok: true, entries: await lastId(dashboard) })
  })
})

describe('after 400 days', () => {
  const now = new Date('2027-12-30T00:00:00.000Z')
  const recent = now.toISOString()

  /** An activity of now, ten of long ago, a running one of then, and three of now. */
  async function makeOld(): Promise<Dashboard> {
    const dashboard = await makeDashboard()
    const { record: chain } = dashboard.deps
    await tamper(dashboard, `update activities set created_at = '${AT}'`)
    await record(dashboard, ['a', 'b', 'c'], { status: 'running' })
    await chain.seal()
    await tamper(dashboard, "update activities set status = 'success' where domain = 'b'")
    await record(dashboard, ['d', 'e', 'f'])
    await record(dashboard, ['g', 'h', 'i'], { created_at: recent })
    await chain.seal()
    await tamper(dashboard, "update activities set status = 'failed' where domain = 'c'")
    await chain.seal()
    return dashboard
  }

  test('the oldest activities are deleted, and the rest stays verifiable', async () => {
    await using dashboard = await makeOld()

    await dashboard.deps.record.deleteExpired(now)

    const { body } = await dashboard.call('GET', '/api/activity')
    expect(body.activities.map(({ domain }: { domain: string }) => domain)).toEqual(['i', 'h', 'g'])
    expect(await verify(dashboard)).toMatchObject({ ok: true, entries: 3 })
    await record(dashboard, ['j'])
    await dashboard.deps.record.seal()
    expect(await verify(dashboard)).toMatchObject({ ok: true, entries: 4 })
    const next = new ActivityRecord({ ...dashboard.deps, data_dir: dashboard.folder })
    expect((await next.verify()).ok).toBe(true)
  })

  test.each<Tampering>([
    ['one before the start', [forged(3)], { code: 'inserted', id: 3 }],
    ['the next one removed', ['delete from activities where id = 8'], { code: 'removed', id: 8 }],
    [
      'more of the first ones',
      ['delete from activities where id = 8', 'delete from activity_links where activity_id = 8'],
      { code: 'link_missing', id: 9 },
    ],
    [
      'a changed end',
      ["update activity_links set status = 'success' where activity_id < 8"],
      { code: 'changed', id: 4 },
    ],
  ])('%s is found', async (_, statements, problem) => {
    await using dashboard = await makeOld()
    await dashboard.deps.record.deleteExpired(now)

    await tamper(dashboard, ...statements)

    expect(await problemOf(dashboard)).toEqual(problem)
  })

  test('a time of the future keeps nothing, and one of the past loses nothing of today', async () => {
    await using dashboard = await makeDashboard()
    await tamper(dashboard, `update activities set created_at = '${AT}'`)
    await record(dashboard, ['future'], { created_at: '2099-01-01T00:00:00.000Z' })
    await record(dashboard, ['old'])
    await record(dashboard, ['new'], { created_at: recent })
    await record(dashboard, ['past'], { created_at: '1970-01-01T00:00:00.000Z' })
    await dashboard.deps.record.seal()

    await dashboard.deps.record.deleteExpired(now)

    const { body } = await dashboard.call('GET', '/api/activity')
    expect(body.activities.map(({ domain }: { domain: string }) => domain)).toEqual(['past', 'new'])
    expect(await verify(dashboard)).toMatchObject({ ok: true, entries: 2 })
  })

  test('everything may be too old', async () => {
    await using dashboard = await makeSealed()

    await dashboard.deps.record.deleteExpired(new Date('2029-01-01T00:00:00.000Z'))

    expect(await verify(dashboard)).toMatchObject({ ok: true, entries: 0, unsealed: 0 })
    expect((await dashboard.call('GET', '/api/activity')).body.total).toBe(0)
  })

  test('more than one batch is deleted beside verifications', async () => {
    await using dashboard = await makeDashboard()
    await tamper(dashboard, `update activities set created_at = '${AT}'`)
    await record(
      dashboard,
      Array.from({ length: 1_300 }, (_, at) => `${at}.example`),
    )
    await record(dashboard, ['new'], { created_at: recent })
    await dashboard.deps.record.seal()

    const deleting = dashboard.deps.record.deleteExpired(now)
    const results = [await verify(dashboard), await verify(dashboard)]

    await deleting
    expect(results.map(({ problem }) => problem)).toEqual([null, null])
    expect(await verify(dashboard)).toMatchObject({ ok: true, entries: 1 })
  })
})
