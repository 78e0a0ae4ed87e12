import { describe, expect, test } from 'bun:test'
import { type LeaseRow, leasePlanOf, memberOf, NAMES } from '#dashboard/kernel/leases/shares.ts'

const member = (holder: string, left_ms = 9_000): LeaseRow => ({
  ...{ name: memberOf(holder), holder, token: 1, left_ms },
})
const lease = (name: string, holder: string, left_ms = 9_000): LeaseRow => ({
  ...{ name, holder, token: 1, left_ms },
})

describe('the shares of a dashboard', () => {
  test('are all of them while it is alone', () => {
    expect(leasePlanOf([], 'a')).toEqual({ acquire: [...NAMES], release: [] })
  })

  test('are returned down to its share when others are present', () => {
    const rows = [member('a'), member('b'), ...NAMES.map((name) => lease(name, 'a'))]
    expect(leasePlanOf(rows, 'a')).toEqual({ acquire: [], release: NAMES.slice(9) })
    expect(leasePlanOf(rows, 'b')).toEqual({ acquire: [], release: [] })
  })

  test('are leased up to its share when their holder has ended', () => {
    const rows = [
      ...[member('a'), member('b'), member('c', 0)],
      ...NAMES.map((name, at) => lease(name, at < 6 ? 'a' : 'c', at < 6 ? 9_000 : 0)),
    ]
    expect(leasePlanOf(rows, 'a')).toEqual({ acquire: NAMES.slice(6, 9), release: [] })
    expect(leasePlanOf(rows, 'b').acquire).toHaveLength(8)
  })

  test('of different dashboards begin at different places', () => {
    const rows = [member('a'), member('b')]
    const [a, b] = [leasePlanOf(rows, 'a').acquire, leasePlanOf(rows, 'b').acquire]
    expect([...a, ...b].sort()).toEqual([...NAMES].sort())
  })
})
