// tier: core, interrupts
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { type Enrolled, startEnrolled } from '#tests/support/system/enrolled.ts'
import { snapshot } from '#tests/support/system/snapshot.ts'
import {
  Chain,
  CYCLE,
  type Interruption,
  unlimited,
  type Work,
} from '#tests/support/system/sweep/chain.ts'
import { inTurn } from '#tests/support/turns.ts'

const MINUTES = 60_000
setDefaultTimeout(60 * MINUTES)
const LONG = process.env.HOSTING_LONG === '1'
const BLOWS: Interruption[] = [
  'the dashboard is killed',
  'the agent is killed',
  'no network',
  'no power',
]
/** In all chains each work has each interruption once; a gate runs one chain, which has all four. */
const CHAINS = BLOWS.map((_, chain) =>
  CYCLE.map((work, at) => ({ work, blow: BLOWS[(chain + at) % BLOWS.length] as Interruption })),
)
/** After which event the interruption comes: one round for each. */
const ROUNDS = LONG ? Array.from({ length: 14 }, (_, index) => index + 1) : [3]
/** The last event of a work that is certainly stored before its end, if that is not the third. */
const LAST: Partial<Record<Work, number>> = { purge: 1 }

unless(lab.available()).describe('a server and its dashboard, cut off in the middle', () => {
  let world: Enrolled
  const table: string[] = []
  beforeAll(async () => {
    world = await unlimited(await startEnrolled('bookworm'))
  }, 10 * MINUTES)
  afterAll(async () => {
    console.log(table.join('\n'))
    await world?.stop()
  }, 10 * MINUTES)

  /** The interruption may come after the last event: systemd starts the agent again a second later. */
  const settledSnapshot = async () => {
    const units = ['hosting-agent.service', 'hosting-agent-front.service']
    const isUp = async () =>
      (await world.host.exec(['systemctl', 'is-active', ...units])).code === 0
    expect(await lab.poll(isUp, { timeout_ms: MINUTES })).toBe(true)
    return snapshot(world.host)
  }

  test.each(inTurn(CHAINS, 'interruptions').map((chain) => [chain[0]?.blow, chain] as const))(
    'agree on every operation and on the machine, first when %s',
    async (_, chain) => {
      const before = await settledSnapshot()
      for (const after of ROUNDS) {
        const name = `chain${CHAINS.indexOf(chain)}-${after}.example.test`
        const site = new Chain(world, name)
        const outcomes: string[] = []
        for (const { work, blow } of chain) {
          const point = Math.min(after, LAST[work] ?? after)
          const { met, problems } = await site.endure(work, blow, point)
          expect([work, problems]).toEqual([work, []])
          outcomes.push(`${work}, ${blow}: ${met}`)
        }
        table.push(`after event ${after}: ${outcomes.join('; ')}`)
        const missed = outcomes.filter((outcome) => outcome.endsWith('too late'))
        if (after <= 3) expect(missed).toEqual([])
      }
      expect(await settledSnapshot()).toEqual(before)
    },
  )
})
