import { expect, test } from 'bun:test'
import { cachedValue } from '#dashboard/kernel/db/cached-value.ts'
import type { DatabaseVersion } from '#dashboard/kernel/db/database-version.ts'

const at = (ms: number) => new Date(ms)

/** Records whose version a test sets. */
class Records {
  state: DatabaseVersion | undefined = 'one'

  version(): DatabaseVersion | undefined | Promise<DatabaseVersion | undefined> {
    return this.state
  }
}

/** As on a server. */
class AskedRecords extends Records {
  override async version() {
    return this.state
  }
}

/** A value that counts how often it is computed. */
function counted(db = new Records()) {
  let count = 0
  const value = cachedValue(
    async (_: { db: Records }, now) => `${++count} at ${now.getTime()}`,
    100,
  )
  return { db, kept: (now: Date) => value({ db }, now) }
}

test.each([
  ['on a file', new Records()],
  ['on a server', new AskedRecords()],
])(
  'a value is computed once until the records change or its time is over, %s',
  async (_, records) => {
    const { db, kept } = counted(records)

    const seen: string[] = await Promise.all([kept(at(0)), kept(at(99))])
    seen.push(await kept(at(100)))
    db.state = 'two'
    seen.push(await kept(at(101)))

    expect(seen).toEqual(['1 at 0', '1 at 0', '2 at 100', '3 at 101'])
  },
)

test('a value of a later time is computed again after the clock was set back', async () => {
  const { kept } = counted()

  const seen = [await kept(at(50)), await kept(at(49)), await kept(at(148))]

  expect(seen).toEqual(['1 at 50', '2 at 49', '2 at 49'])
})

test('a value that was being computed while the records changed is not kept', async () => {
  const { db, kept } = counted()

  const first = kept(at(0))
  db.state = 'two'

  expect([await first, await kept(at(0))]).toEqual(['1 at 0', '2 at 0'])
})

test('nothing is kept where the version is unknown, and no failure', async () => {
  const { db, kept } = counted()
  db.state = undefined
  expect([await kept(at(0)), await kept(at(0))]).toEqual(['1 at 0', '2 at 0'])

  let fails = true
  const failing = cachedValue(async (_: { db: Records }) => {
    if (fails) throw new Error('locked')
    return 'read'
  }, 100)
  db.state = 'one'
  await expect(failing({ db }, at(0))).rejects.toThrow('locked')
  fails = false
  expect(await failing({ db }, at(0))).toBe('read')
})
