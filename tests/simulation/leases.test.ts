import { expect, test } from 'bun:test'
import { LEASE_MS } from '#dashboard/leases/times.ts'
import { LeaseRecords } from '#tests/support/leases/records.ts'
import { LeaseWorld } from '#tests/support/leases/world.ts'
import { long, times } from '#tests/support/runs.ts'

const RUNS = long ? 10_000 : times(300)

test(`no write with an old lease is accepted in ${RUNS} runs with pauses, cuts, kills and clocks that jump`, () => {
  const records = new LeaseRecords(LEASE_MS)
  let stale = 0
  for (let seed = 1; seed <= RUNS; seed++) {
    const world = new LeaseWorld(seed, records).run()
    expect([seed, ...world.faults]).toEqual([seed])
    stale += world.stale
  }
  records.close()
  // There were old leases to refuse.
  expect(stale).toBeGreaterThan(RUNS)
}, 3_600_000)
