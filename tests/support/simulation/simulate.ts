import type { Dice } from '#agent/kernel/host/simulated/dice.ts'
import { getServer } from '#dashboard/kernel/db/targets.ts'
import { enqueueOrJoin } from '#dashboard/kernel/engine/enqueue.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import { newMachine } from './footprint.ts'
import { check } from './invariants.ts'
import type { Records } from './records.ts'
import { Users } from './users.ts'
import { World } from './world.ts'
import { domainOf, LABELS } from './writers.ts'

type Trouble = (world: World, dice: Dice) => void

const agentOf = (world: World, dice: Dice) => world.agents[dice.below(world.agents.length)]

const TROUBLES: Trouble[] = [
  (world, dice) => agentOf(world, dice)?.kill(),
  // During one of its next effects.
  (world, dice) => {
    const process = agentOf(world, dice)?.process
    if (process) process.fuse = 1 + dice.below(120)
  },
  (world, dice) => {
    const process = agentOf(world, dice)?.process
    if (process) process.fuse = 1 + dice.below(20)
  },
  (world, dice) => agentOf(world, dice)?.losePower(),
  (world) => world.dashboard.kill(),
  (world, dice) => {
    const { process } = world.dashboard
    if (process) process.fuse = 1 + dice.below(40)
  },
  (world, dice) => {
    const agent = agentOf(world, dice)
    if (!agent) return
    world.network.part(agent)
    world.timeline.later(dice.between(100, 60_000), () => world.network.heal(agent))
  },
  (world, dice) => {
    const agent = agentOf(world, dice)
    if (agent) agent.machine.skew += jump(dice)
    world.trace('world', `the clock of ${agent?.name} jumps`)
  },
  (world, dice) => {
    world.dashboard.skew += jump(dice)
    world.trace('world', 'the clock of the dashboard jumps')
  },
  (world, dice) => {
    const { weather } = world.network
    let left = 1 + dice.below(3)
    world.trace('network', `loses the next ${left} answers`)
    world.network.weather = {
      ...weather,
      get lose_answer() {
        return left-- > 0 ? 1 : weather.lose_answer
      },
    }
  },
  // Another client makes the agent change a site during an operation on it.
  (world, dice) => void interfere(world, dice),
  // A user cancels an operation there.
  (world, dice) => void cancel(world, dice.chance(0.5)),
  // One of the next programs fails.
  (world, dice) => {
    const agent = agentOf(world, dice)
    let left = dice.below(12)
    if (agent) agent.machine.unlucky = (what) => MAY_FAIL.test(what) && left-- === 0
  },
]

/** Programs that only create: a failed undo leaves something behind and reports it. */
const MAY_FAIL = /^(useradd|cp|\/usr\/bin\/php|CREATE|GRANT)/

async function interfere(world: World, dice: Dice): Promise<void> {
  const active = (await world.operations()).find(({ finished_at }) => finished_at === null)
  const agent = active ? world.agents[active.server_id - 1] : agentOf(world, dice)
  const listening = agent?.listening()
  if (!listening) return
  const id = `other-${dice.below(1_000_000)}`
  const domain = active?.domain ?? domainOf(dice.pick(LABELS))
  const params = { domain, tier: dice.pick(['small', 'medium', 'large']) }
  world.trace('people', `${id} on ${agent?.name}: ${JSON.stringify(params)}`)
  const request = new Request('http://agent/exec', {
    method: 'POST',
    headers: { [OPERATION_HEADER]: id },
    body: JSON.stringify({ command: 'site.update', params }),
  })
  const { body } = await world.timeline.as(listening.process, id, () => listening.fetch(request))
  await body?.cancel()
}

async function cancel(world: World, force: boolean): Promise<void> {
  const operations = await world.operations()
  const active = operations.find(({ finished_at }) => finished_at === null)
  const listening = world.agents[(active?.server_id ?? 0) - 1]?.listening()
  if (!active || !listening) return
  world.trace('people', `cancel ${active.id.slice(0, 8)}`)
  const body = JSON.stringify({ force })
  const request = new Request(`http://agent/operations/${active.id}/cancel`, {
    method: 'POST',
    body,
  })
  await world.timeline.as(listening.process, '', () => listening.fetch(request))
}

const jump = (dice: Dice) => dice.pick([-1, 1]) * dice.pick([1_000, 60_000, 600_000])

/** Schedules the users' actions and the faults; returns their end. */
function planTrouble(world: World, people: Users): number {
  const dice = world.dice.fork()
  const end = dice.between(5_000, 60_000)
  const acts = Array.from({ length: 2 + dice.below(4) }, () => dice.between(0, end))
  for (const at of acts) world.timeline.later(at, () => people.act())
  for (let left = dice.below(7); left > 0; left--) {
    // Mostly during an action.
    const act = acts[dice.below(acts.length)] ?? 0
    const at = dice.chance(0.7) ? act + dice.between(0, 800) : dice.between(0, end)
    world.timeline.later(Math.min(at, end), () =>
      TROUBLES[dice.below(TROUBLES.length)]?.(world, dice),
    )
  }
  return end
}

const MAX_ROUNDS = 2_000

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
  for (let round = 0; round < MAX_ROUNDS; round++) {
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
        const job = await enqueueOrJoin(deps, {
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
