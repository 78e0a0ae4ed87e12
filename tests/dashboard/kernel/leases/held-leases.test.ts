import { describe, expect, test } from 'bun:test'
import { HeldLeases } from '#dashboard/kernel/leases/held-leases.ts'
import type { LeaseRow } from '#dashboard/kernel/leases/shares.ts'

const HELD_MS = 9_000

function tenure() {
  const names = ['first', 'second']
  return new HeldLeases(HELD_MS, () => names.shift() ?? 'other')
}

const fleet = (holder: string, token = 1): LeaseRow => ({
  ...{ name: 'fleet', holder, token, left_ms: 10_000 },
})

describe('a lease', () => {
  test('is held from the answer until its time has passed since the question', () => {
    const own = tenure()
    const { round } = own.prepare(1_000)
    expect(own.fence('fleet', 1_000)).toBeUndefined()

    expect(own.learn(round, [fleet('first')], 3_000)).toEqual({ gained: ['fleet'], lost: [] })
    const fence = { name: 'fleet', holder: 'first', token: 1 }
    expect(own.fence('fleet', 9_999)).toEqual(fence)
    expect(own.fence('fleet', 10_000)).toBeUndefined()
  })

  test('that has lapsed ends the name of its holder, and a later answer is ignored', () => {
    const own = tenure()
    own.learn(own.prepare(0).round, [fleet('first')], 10)
    const { round } = own.prepare(5_000)

    expect(own.lapse(9_000)).toEqual(['fleet'])
    expect(own.holder).toBe('second')
    expect(own.learn(round, [fleet('first')], 9_001)).toEqual({ gained: [], lost: [] })
    expect(own.fence('fleet', 9_001)).toBeUndefined()
  })

  test('with another token has ended and begun again', () => {
    const own = tenure()
    own.learn(own.prepare(0).round, [fleet('first')], 10)
    const change = own.learn(own.prepare(500).round, [fleet('first', 2)], 510)
    expect(change).toEqual({ gained: ['fleet'], lost: ['fleet'] })
  })

  test('that another dashboard has taken is lost', () => {
    const own = tenure()
    own.learn(own.prepare(0).round, [fleet('first')], 10)
    const change = own.learn(own.prepare(500).round, [fleet('other', 2)], 510)
    expect(change).toEqual({ gained: [], lost: ['fleet'] })
    expect(own.fence('fleet', 510)).toBeUndefined()
  })

  test('that is given back is not held while the database is asked', () => {
    const own = tenure()
    const member = (holder: string) => ({ ...fleet(holder), name: `dashboard ${holder}` })
    const rows = [member('first'), member('another')]
    const all = Array.from({ length: 16 }, (_, share) => ({
      ...fleet('first'),
      name: `servers ${share}`,
    }))
    own.learn(own.prepare(0).round, [...rows, ...all], 10)

    const { round, lost } = own.prepare(500)
    expect(lost).toEqual(round.release)
    expect(round.release.map((name) => own.fence(name, 500))).toEqual(lost.map(() => undefined))
    expect(lost).toHaveLength(8)
  })
})
