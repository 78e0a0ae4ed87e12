import { getServer } from '#dashboard/db/targets.ts'
import { beginOrJoin } from '#dashboard/operations/begin.ts'
import { newMachine } from './footprint.ts'
import { check } from './invariants.ts'
import type { Records } from './records.ts'
import { planTrouble } from './trouble.ts'
import { Users } from './users.ts'
import { World } from './world.ts'

const MOST_ROUNDS = 2_000

/** One run of a small fleet, from one number. `faults` is empty if all held. */
export async function simulate(seed: number, records: Records): Promise<World> {
  const machines = [await newMachine(), await newMachine()].slice(0, 1 + (seed % 2))
  const world = new World(seed, records, machines)
  const giveBack = world.timeline.install()
  try {
    await world.begin()
    const users = new Users(world)
    const end = planTrouble(world, users)
    await world.timeline.run(end, () => false)
    world.calm()
    await rest(world, users)
    await syncAll(world)
    await rest(world, users)
    await check(world, users)
  } finally {
    giveBack()
  }
  return world
}

/** Until no operation runs and all followers saw the end. */
async function rest(world: World, users: Users): Promise<void> {
  const { timeline, records } = world
  for (let round = 0; round < MOST_ROUNDS; round++) {
    await timeline.run(timeline.now + 1_000, () => false)
    if (records.unfinished === 0 && users.followers.every(({ over }) => over)) return
  }
  world.broken('It does not come to rest')
}

async function syncAll(world: World): Promise<void> {
  for (const [at] of world.agents.entries())
    void world.dashboard
      .call(async (deps) => {
        const server = await getServer(deps.db, at + 1)
        const job = await beginOrJoin(deps, {
          type: 'server.sync',
          server,
          params: {},
          actor: 1,
          wait_for_agent: false,
        })
        return job.operation_id
      })
      .catch((error: unknown) => world.broken(`The last sync: ${error}`))
  await world.timeline.run(world.timeline.now + 1_000, () => false)
}
