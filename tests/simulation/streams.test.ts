import { expect, test } from 'bun:test'
import { getServer } from '#dashboard/kernel/db/targets.ts'
import { enqueue } from '#dashboard/kernel/engine/enqueue.ts'
import { tableOf } from '#tests/support/commands.ts'
import { long } from '#tests/support/runs.ts'
import { Follower } from '#tests/support/simulation/follower.ts'
import { newMachine } from '#tests/support/simulation/footprint.ts'
import { checkFollowers, checkOperation } from '#tests/support/simulation/invariants.ts'
import { Records } from '#tests/support/simulation/records.ts'
import { World } from '#tests/support/simulation/world.ts'

const OPERATIONS = 2
const FOLLOWERS = 4
const LINES = 60
const HOUR_MS = 3_600_000

/** Letters of one to four bytes: a cut may split one of them. */
const WORDS = 'ein Wort, ένα, 一つ, 🚀'

/**
 * Operations with many lines, and their followers, over connections that are cut all the time,
 * between agent and dashboard and between dashboard and browser. `cuts`: how often.
 */
async function cutStreams(
  seed: number,
  records: Records,
): Promise<{ faults: string[]; cuts: number }> {
  const world = new World(seed, records, [await newMachine()])
  world.network.weather = { drop: 0, lose_answer: 0, double: 0, cut: 0.25, slow_ms: 20 }
  world.commands = tableOf({
    'cache.purge': {
      lock: () => undefined,
      plan: async () => [],
      async *run({ domain }, { host }) {
        for (let line = 1; line <= LINES; line++) {
          await host.clock.sleep(world.dice.between(0, 200))
          yield `${line}: ${WORDS}`
        }
        return { domain }
      },
    },
  })
  const giveBack = world.timeline.install()
  try {
    const followers = await followed(world)
    const over = () => followers.every((follower) => follower.over)
    const ended = await world.timeline.run(world.timeline.now + HOUR_MS, over)
    if (!ended) world.broken('Somebody never saw the end')
    for (const operation of await world.operations()) await checkOperation(world, operation)
    await checkFollowers(world, followers)
    const theirs = followers.reduce((sum, { cuts }) => sum + cuts, 0)
    return { faults: world.faults, cuts: world.network.cuts + theirs }
  } finally {
    giveBack()
  }
}

async function followed(world: World): Promise<Follower[]> {
  await world.begin()
  const followers: Follower[] = []
  for (let time = 0; time < OPERATIONS; time++)
    void world.dashboard
      .call(async (deps) => {
        const server = await getServer(deps.db, 1)
        const params = { domain: `site${time}.example` }
        const wanted = {
          type: 'cache.purge',
          server,
          params,
          actor: 1,
          wait_for_agent: true,
        } as const
        return (await enqueue(deps, wanted)).operation_id
      })
      .then((operation_id) => {
        for (let who = 0; who < FOLLOWERS; who++) {
          const follower = new Follower(world, operation_id)
          followers.push(follower)
          void follower.follow()
        }
      })
  await world.timeline.run(HOUR_MS, () => followers.length === OPERATIONS * FOLLOWERS)
  return followers
}

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
