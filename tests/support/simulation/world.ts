import { commands } from '#agent/commands.ts'
import { Dice } from '#agent/kernel/host/simulated/dice.ts'
import type { CommandTable } from '#agent/kernel/steps/command.ts'
import { type Deps, makeDeps } from '#dashboard/deps.ts'
import { streamResponse } from '#dashboard/kernel/auth/session-stream.ts'
import { operations, servers, sites } from '#dashboard/kernel/db/schema.ts'
import { listServerIds } from '#dashboard/kernel/db/targets.ts'
import { followOperation } from '#dashboard/kernel/engine/follow-events.ts'
import { Keyring } from '#dashboard/kernel/trust/keyring.ts'
import { makeSealer } from '#dashboard/kernel/trust/seal.ts'
import { offline } from '#shared/kernel/errors.ts'
import { markedWith } from '#tests/support/marks.ts'
import { SimulatedAgent } from './agent.ts'
import { START } from './host.ts'
import type { Machine } from './machine.ts'
import { Network, type Weather } from './network.ts'
import { Process } from './process.ts'
import type { Records } from './records.ts'
import { Timeline } from './timeline.ts'
import { Writers } from './writers.ts'

const SYNC_SECONDS = 300

/** The real dashboard below its routes, across its restarts. */
class SimulatedDashboard {
  /** The error of its clock. */
  skew = 0
  readonly #world: World
  readonly #records: Records
  #process: Process | undefined
  #deps: Deps | undefined
  #starts = 0

  constructor(world: World, records: Records) {
    this.#world = world
    this.#records = records
  }

  get process(): Process | undefined {
    return this.#process
  }

  start(): void {
    if (this.#process?.alive) return
    const { timeline, trace, broken } = this.#world
    const name = `dashboard.${++this.#starts}`
    const process = new Process(name, this.#world, () => this.#ended(process))
    this.#process = process
    trace(name, 'starts')
    timeline.as(process, '', () => {
      const deps = this.#make(process)
      this.#deps = deps
      const begin = async () => {
        await deps.worker.resume()
        deps.scheduler.start(await listServerIds(deps.db), SYNC_SECONDS)
      }
      begin().catch((error: unknown) => broken(`${name} does not start: ${error}`))
    })
  }

  kill(): void {
    this.#process?.kill()
  }

  /** A user's call: rejects if the process ends before its answer. */
  call<T>(work: (deps: Deps) => Promise<T>): Promise<T> {
    const [process, deps] = [this.#process, this.#deps]
    if (!process?.alive || !deps) return Promise.reject(offline('refused'))
    const gone = process.ended.then(() => Promise.reject(offline('broken off')))
    return Promise.race([this.#world.timeline.as(process, 'call', () => work(deps)), gone])
  }

  /** The stream of an operation after event `after`, and the process that sends it. */
  stream(
    operation_id: string,
    after: number,
  ): { response: Response; process: Process } | undefined {
    const [process, deps] = [this.#process, this.#deps]
    if (!process?.alive || !deps) return undefined
    const request = new Request('http://dashboard/')
    const response = this.#world.timeline.as(process, 'stream', () =>
      streamResponse(request, {
        operation_id,
        ping_ms: deps.limits.ping_ms,
        server: null,
        events: (signal) => followOperation(deps, operation_id, { after, steps: true }, signal),
      }),
    )
    return { response, process }
  }

  #make(process: Process): Deps {
    const { timeline, dice, network, agents, trace } = this.#world
    const db = this.#records.reachedBy(process)
    const clock = {
      now: () => new Date(START + Math.floor(timeline.now) + this.skew),
      elapsed: () => timeline.now,
      sleep: (ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => {
          if (signal?.aborted) return resolve()
          signal?.addEventListener('abort', () => resolve(), { once: true })
          timeline.after(ms, resolve)
        }),
    }
    const source = dice.fork()
    const random = (bytes: number) => source.bytes(bytes)
    const sealer = makeSealer('s'.repeat(32), random)
    return makeDeps({
      db,
      clock,
      random,
      log: {
        info: () => undefined,
        error: (message, error) => trace(process.name, `${message}: ${error}`),
      },
      secret: 's'.repeat(32),
      keys: new Keyring({ db, clock, random, sealer }),
      sealer,
      marks: markedWith(),
      rules: { production: false, allow_private: true },
      public_url: undefined,
      password_cost: { memory_kib: 8, rounds: 1 },
      transports: async ({ port }) => {
        const peer = agents[port - 1]
        if (!peer) throw offline('no such agent')
        return network.transport(process, peer)
      },
    })
  }

  #ended(process: Process): void {
    this.#world.trace(process.name, 'is killed')
    this.#world.network.ended(process)
    this.#world.timeline.later(1_000 + this.#world.dice.below(4_000), () => this.start())
  }
}

const CALM: Weather = { drop: 0, lose_answer: 0, double: 0, cut: 0, slow_ms: 50 }

/** Dashboards, agents, machines and the network between them, all made from one number. */
export class World {
  readonly seed: number
  readonly timeline = new Timeline()
  readonly dice: Dice
  readonly network: Network
  readonly agents: SimulatedAgent[] = []
  readonly dashboard: SimulatedDashboard
  readonly records: Records
  /** The agents' commands. */
  commands: CommandTable = commands
  /** Events, a line each. */
  readonly lines: string[] = []
  /** Violations. */
  readonly faults: string[] = []
  readonly #writers: Writers

  constructor(seed: number, records: Records, machines: readonly Machine[]) {
    this.seed = seed
    this.dice = new Dice(seed)
    this.records = records
    this.network = new Network(this, roughness(this.dice))
    this.dashboard = new SimulatedDashboard(this, records)
    this.#writers = new Writers(this)
    machines.forEach((machine, at) => {
      const agent = new SimulatedAgent(this, `agent${at + 1}`, machine)
      machine.seen = (what) => this.#writers.see(agent.name, what)
      this.agents.push(agent)
    })
  }

  trace = (actor: string, what: string): void => {
    this.lines.push(`${this.timeline.now.toFixed(1).padStart(9)} ${actor}: ${what}`)
  }

  broken = (what: string): void => {
    this.trace('BROKEN', what)
    this.faults.push(what)
  }

  /** The records without any delay. */
  get db() {
    return this.records.whole
  }

  async begin(): Promise<void> {
    this.records.empty()
    const at_birth = {
      hostname: '127.0.0.1',
      user: 'root',
      tags: [] as string[],
      status: 'online' as const,
      created_at: new Date(0).toISOString(),
    }
    for (const [at, { name }] of this.agents.entries())
      await this.db.read.insert(servers).values({ ...at_birth, name, port: at + 1 })
    for (const agent of this.agents) agent.start()
    this.dashboard.start()
  }

  /** No more faults from here on. */
  calm(): void {
    this.trace('world', 'calms down')
    this.network.weather = CALM
    for (const agent of this.agents) {
      agent.machine.unlucky = () => false
      this.network.heal(agent)
      if (agent.process) agent.process.fuse = Number.POSITIVE_INFINITY
      agent.start()
    }
    if (this.dashboard.process) this.dashboard.process.fuse = Number.POSITIVE_INFINITY
    this.dashboard.start()
  }

  operations = () => this.db.read.select().from(operations)
  sites = () => this.db.read.select().from(sites)
}

/** Some worlds have only crashes, some lose every fifth message. */
function roughness(dice: Dice): Weather {
  const most = dice.pick([0, 0.02, 0.2])
  const some = () => dice.between(0, most)
  const slow_ms = dice.pick([20, 500, 8_000])
  return { drop: some(), lose_answer: some(), double: some() * 2, cut: some(), slow_ms }
}
