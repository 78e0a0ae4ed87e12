import { expect, test } from 'bun:test'
import { keptRows, keptValue } from '#dashboard/db/kept.ts'
import type { Version } from '#dashboard/db/version.ts'

const at = (ms: number) => new Date(ms)

/** Records whose substance a test sets. */
class Records {
  state: string | undefined = 'one'

  version(): Version | undefined {
    return this.state === undefined ? undefined : { substance: this.state, readings: 0 }
  }

  askVersion(): Version | undefined | Promise<Version | undefined> {
    return this.version()
  }
}

/** As on a server. */
class AskedRecords extends Records {
  override async askVersion() {
    return super.version()
  }

  override version(): undefined {
    return undefined
  }
}

/** A value that counts how often it is computed. */
function counted(db = new Records()) {
  let count = 0
  const kept = keptValue(async (_: typeof db, now: Date) => `${++count} at ${now.getTime()}`, 100)
  return { db, kept }
}

test.each([
  ['on a file', new Records()],
  ['on a server', new AskedRecords()],
])(
  'a value is computed once until the records change or its time is over, %s',
  async (_, records) => {
    const { db, kept } = counted(records)

    const seen: string[] = await Promise.all([kept(db, at(0)), kept(db, at(99))])
    seen.push(await kept(db, at(100)))
    db.state = 'two'
    seen.push(await kept(db, at(101)))

    expect(seen).toEqual(['1 at 0', '1 at 0', '2 at 100', '3 at 101'])
  },
)

test('a value of a later time is computed again after the clock was set back', async () => {
  const { db, kept } = counted()

  const seen = [await kept(db, at(50)), await kept(db, at(49)), await kept(db, at(148))]

  expect(seen).toEqual(['1 at 50', '2 at 49', '2 at 49'])
})

test('a value that was being computed while the records changed is not kept', async () => {
  const { db, kept } = counted()

  const first = kept(db, at(0))
  db.state = 'two'

  expect([await first, await kept(db, at(0))]).toEqual(['1 at 0', '2 at 0'])
})

test('nothing is kept where the state is unknown, and no failure', async () => {
  const { db, kept } = counted()
  db.state = undefined
  expect([await kept(db, at(0)), await kept(db, at(0))]).toEqual(['1 at 0', '2 at 0'])

  let fails = true
  const failing = keptValue(async (_: typeof db) => {
    if (fails) throw new Error('locked')
    return 'read'
  }, 100)
  db.state = 'one'
  await expect(failing(db, at(0))).rejects.toThrow('locked')
  fails = false
  expect(await failing(db, at(0))).toBe('read')
})

test('a row is read once for each key until the records change, a failure each time', async () => {
  const db = new Records()
  let count = 0
  const kept = keptRows(async (_: typeof db, key: string) => {
    count += 1
    if (key === 'bad') throw new Error('locked')
    return `${key} ${count}`
  })

  const seen = [await kept(db, 'a'), await kept(db, 'b'), await kept(db, 'a')]
  db.state = 'two'
  seen.push(await kept(db, 'a'))
  await expect(kept(db, 'bad')).rejects.toThrow('locked')
  await expect(kept(db, 'bad')).rejects.toThrow('locked')
  db.state = undefined
  seen.push(await kept(db, 'a'), await kept(db, 'a'))

  expect(seen).toEqual(['a 1', 'b 2', 'a 1', 'a 3', 'a 6', 'a 7'])
})

test('rows on a server are read each time: the question would take as long', async () => {
  let count = 0
  const kept = keptRows(async (_: AskedRecords, key: string) => `${key} ${++count}`)
  const db = new AskedRecords()

  expect([await kept(db, 'a'), await kept(db, 'a')]).toEqual(['a 1', 'a 2'])
})
