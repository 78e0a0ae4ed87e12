import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@libsql/client'
import { sql } from 'drizzle-orm'
import { batch, type Database } from '#dashboard/kernel/db/client.ts'
import { connect, connectToServer } from '#dashboard/kernel/db/connect.ts'
import { versionOnServer } from '#dashboard/kernel/db/database-version.ts'
import { fencedBy } from '#dashboard/kernel/db/fence.ts'
import { migrate } from '#dashboard/kernel/db/migrations.ts'
import { exchangeNews } from '#dashboard/kernel/leases/news.queries.ts'
import { releaseAll } from '#dashboard/kernel/leases/queries.ts'
import { RECORDS } from '#tests/support/dashboard/kept.ts'

const UPDATE = sql`update settings set value = value || '2' where key = 'one'`
const INSERT = sql`insert into settings (key, value) values ('two', '2')`

describe.each(RECORDS)('the version of records %s', (where, open) => {
  let folder: string
  /** The connection of the first of two dashboards to the same database. */
  let one: Database
  let two: Database
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'version-'))
    using client = connect({ url: `file:${folder}/test.db` })
    await migrate(client)
    one = await open(`${folder}/test.db`)
    two = await open(`${folder}/test.db`)
    await one.write((queries) =>
      queries.run(sql`insert into settings (key, value) values ('one', '1')`),
    )
  })
  afterEach(async () => {
    one.close()
    two.close()
    await rm(folder, { recursive: true })
  })

  /** Whether the work changes the version, which both dashboards must agree on. */
  async function changes(work: () => Promise<unknown>): Promise<boolean> {
    const before = [await one.version(), await two.version()]
    await work()
    const after = [await one.version(), await two.version()]
    const changed = after.map((version, place) => version !== before[place])
    expect([...before, ...after]).not.toContain(undefined)
    expect(changed[0]).toBe(changed[1] ?? false)
    return changed[0] ?? false
  }

  test('is another one after each write of either of them', async () => {
    const writes: (() => Promise<unknown>)[] = [
      () => one.write((queries) => queries.run(UPDATE)),
      () => two.write((queries) => queries.run(UPDATE)),
      () => one.write((queries) => batch(queries, [queries.run(INSERT), queries.run(UPDATE)])),
      () =>
        two.write((queries) =>
          queries.all(sql`delete from settings where key = 'two' returning key`),
        ),
      () => fencedBy([], () => one.write((queries) => queries.run(UPDATE))),
    ]

    for (const [place, write] of writes.entries())
      expect([place, await changes(write)]).toEqual([place, true])
  })

  test('is the same after a read, and after a write that is rolled back', async () => {
    const read = () => one.read.all(sql`select * from settings`)
    const failing = () =>
      one
        .write((queries) => batch(queries, [queries.run(UPDATE), queries.run(sql`no statement`)]))
        .catch(() => undefined)

    expect([await changes(read), await changes(failing)]).toEqual([false, false])
  })

  const READINGS = { only_readings: true } as const
  const update = (db: Database, how = {}) => db.write((queries) => queries.run(UPDATE), how)
  /** Whether the work changes the version of the first dashboard. */
  async function isChange(work: () => Promise<unknown>): Promise<boolean> {
    const before = await one.version()
    await work()
    return (await one.version()) !== before
  }

  test('is the same after readings, and another one after the next change', async () => {
    expect([
      await isChange(() => update(one, READINGS)),
      await isChange(() => update(one, READINGS)),
      await isChange(() => update(one)),
      await isChange(() => update(one, READINGS)),
      await isChange(() => update(two)),
    ]).toEqual([false, false, true, false, true])
  })

  test('is another one after a change that was written beside readings', async () => {
    expect([
      await isChange(() => Promise.all([update(one), update(one, READINGS)])),
      await isChange(() => Promise.all([update(one, READINGS), update(one)])),
      await isChange(() =>
        one.write(async (queries) => {
          await update(two)
          return queries.run(UPDATE)
        }, READINGS),
      ),
    ]).toEqual([true, true, true])
  })

  if (where === 'on a file')
    test('is the same after a write whose result shows that it changed only readings', async () => {
      const when = (is_reading: boolean) => ({ only_readings: () => is_reading })

      expect([
        await isChange(() => update(one, when(true))),
        await isChange(() => update(one, when(false))),
      ]).toEqual([false, true])
    })

  test('returns the results of the own statements', async () => {
    const found = await one.write((queries) =>
      queries.batch([queries.all(sql`select 7 as seven`), queries.run(UPDATE)]),
    )
    const alone = await one.write((queries) => queries.run(UPDATE))

    expect(found).toMatchObject([[{ seven: 7 }], { rowsAffected: 1 }])
    expect([found.length, alone.rowsAffected]).toEqual([2, 1])
  })

  if (where === 'on a server')
    test('is the same after what dashboards say to each other', async () => {
      const [name, topics] = ['one', ['servers']]

      const changed = [
        await changes(() => exchangeNews(one, { name, topics, after: 0 })),
        await changes(() => releaseAll(one, 'one')),
      ]

      expect(changed).toEqual([false, false])
    })
})

describe('the question to a server', () => {
  /** A server whose answers a test gives. */
  function held() {
    const asked: PromiseWithResolvers<unknown>[] = []
    const execute = () => {
      const answer = Promise.withResolvers<unknown>()
      asked.push(answer)
      return answer.promise
    }
    const version = versionOnServer({ execute } as unknown as Client)
    const answer = (text: string) => asked.at(-1)?.resolve({ rows: [{ version: text }] })
    return { version, asked, answer }
  }

  test('is one for those that wait, and starts after they have asked', async () => {
    const { version, asked, answer } = held()
    const first = version()
    await Bun.sleep(0)
    // It runs already: these need the state after it.
    const [second, third] = [version(), version()]
    await Bun.sleep(0)
    expect(asked).toHaveLength(1)

    answer('one')
    expect(await first).toBe('one')
    await Bun.sleep(0)
    expect(asked).toHaveLength(2)
    answer('two')

    expect(await Promise.all([second, third])).toEqual(['two', 'two'])
  })

  test('has no answer while the server has none, and has one again afterwards', async () => {
    const { version, asked, answer } = held()
    const failing = version()
    await Bun.sleep(0)
    asked[0]?.reject(new Error('refused'))
    expect(await failing).toBeUndefined()

    const again = version()
    await Bun.sleep(0)
    answer('one')
    expect(await again).toBe('one')
  })

  test('ends soon on a server that accepts requests and does not answer them', async () => {
    const silent = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => undefined) })
    const client = connectToServer({ url: `http://127.0.0.1:${silent.port}` }, 50)
    const began = performance.now()

    expect(await versionOnServer(client)()).toBeUndefined()
    expect(performance.now() - began).toBeLessThan(2_000)
    client.close()
    await silent.stop(true)
  })
})
