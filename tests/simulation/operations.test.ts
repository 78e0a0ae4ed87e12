import { expect, test } from 'bun:test'
import { long, numbers } from '#tests/support/runs.ts'
import { Records } from '#tests/support/simulation/records.ts'
import { simulate } from '#tests/support/simulation/simulate.ts'

/** `SEED=7 bun test ./tests/simulation` repeats that one run; `LIVES=50` runs fifty. */
const { SEED, LIVES = long ? 10_000 : 500 } = process.env
const seeds = SEED === undefined ? numbers(Number(LIVES)) : [Number(SEED)]

const RECORDED = ' write /var/lib/hosting-agent/sites/'
const SYNCED = ': 200 GET /sites'

test(
  'no operation is lost, repeated or left incomplete under any crash or network failure',
  async () => {
    const records = await Records.open()
    let created = 0
    let synced = 0
    for (const seed of seeds) {
      const { faults, lines } = await simulate(seed, records)
      created += lines.filter((line) => line.includes(RECORDED)).length
      synced += lines.filter((line) => line.includes(SYNCED)).length
      if (faults.length === 0) continue
      const again = `SEED=${seed} bun test ./tests/simulation`
      throw new Error([again, ...lines, ...faults.map((fault) => `BROKEN: ${fault}`)].join('\n'))
    }
    // Runs in which every operation is refused, or no answer is understood, would find nothing.
    if (SEED === undefined) {
      expect(created).toBeGreaterThan(0)
      expect(synced).toBeGreaterThan(0)
    }
  },
  long ? 3_600_000 : 500_000,
)

test('the same seed replays the same run, to the last line', async () => {
  const records = await Records.open()
  const runs: { seed: number; lines: string[] }[] = []
  for (const seed of [1, 2, 3, 5, 8]) {
    const { lines } = await simulate(seed, records)
    runs.push({ seed, lines })

    expect((await simulate(seed, records)).lines).toEqual(lines)
  }
  // Nor does a run depend on those before it.
  for (const { seed, lines } of runs.toReversed())
    expect((await simulate(seed, records)).lines).toEqual(lines)
})
