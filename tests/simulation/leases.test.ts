import { expect, test } from 'bun:test'
import { LEASE_MS } from '#dashboard/kernel/leases/shared-leases.ts'
import { LeaseRecords } from '#tests/support/leases/records.ts'
import { LeaseWorld } from '#tests/support/leases/world.ts'
import { long, numbers } from '#tests/support/runs.ts'

const SEEDS = numbers(long ? 10_000 : 300)

test(`no write with an old lease is accepted in ${SEEDS.length} runs with pauses, cuts, kills and clocks that jump`, () => {
  const records = new LeaseRecords(LEASE_MS)
  let stale = 0
  for (const seed of SEEDS) {
    const world = new LeaseWorld(seed, records).run()
    expect([seed, ...world.faults]).toEqual([seed])
    stale += world.stale
  }
  records.close()
  // There were old leases to refuse.
  expect(stale).toBeGreaterThan(SEEDS.length)
}, 3_600_000)
