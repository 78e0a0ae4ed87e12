import { commands } from '#agent/commands/index.ts'
import { Dice } from '#agent/host/simulated/dice.ts'
import type { CommandTable } from '#agent/steps/command.ts'
import { operations, servers, sites } from '#dashboard/db/schema.ts'
import { SimulatedAgent } from './agent.ts'
import { SimulatedDashboard } from './dashboard.ts'
import type { Machine } from './machine.ts'
import { Network, type Weather } from './network.ts'
import type { Records } from './records.ts'
import { Timeline } from './timeline.ts'
import { Writers } from './writers.ts'

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
