import { expect, test } from 'bun:test'
import { keptRows, keptValue } from '#dashboard/db/kept.ts'

const at = (ms: number) => new Date(ms)

/** Records whose substance a test sets, and a value that counts how often it is computed. */
function counted() {
  const db: { state: string | undefined; substance(): string | undefined } = {
    state: 'one',
    substance: () => db.state,
  }
  let count = 0
  const kept = keptValue(async (_: typeof db, now: Date) => `${++count} at ${now.getTime()}`, 100)
  return { db, kept }
}

test('a value is computed once until the records change or its time is over', async () => {
  const { db, kept } = counted()

  const seen: string[] = await Promise.all([kept(db, at(0)), kept(db, at(99))])
  seen.push(await kept(db, at(100)))
  db.state = 'two'
  seen.push(await kept(db, at(101)))

  expect(seen).toEqual(['1 at 0', '1 at 0', '2 at 100', '3 at 101'])
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
  const db: { state: string | undefined; substance(): string | undefined } = {
    state: 'one',
    substance: () => db.state,
  }
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
