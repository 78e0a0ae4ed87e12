import { expect, test } from 'bun:test'
import { long } from '#tests/support/runs.ts'
import { Records } from '#tests/support/simulation/records.ts'
import { cutStreams } from '#tests/support/simulation/streams.ts'

const WANTED = long ? 10_000 : 1_000

test(`no event is lost or repeated in ${WANTED} interruptions of the streams`, async () => {
  const records = await Records.open()
  let cuts = 0
  for (let seed = 1; cuts < WANTED; seed++) {
    const world = await cutStreams(seed, records)
    expect([seed, ...world.faults]).toEqual([seed])
    cuts += world.cuts
  }
}, 300_000)
