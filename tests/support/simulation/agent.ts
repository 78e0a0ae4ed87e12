import { createApp } from '#agent/app.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { Policy } from '#agent/kernel/policy/policy.ts'
import { openGate } from '#agent/kernel/trust/gate.ts'
import { readings } from '#agent/readings.ts'
import { readingDeps } from '#tests/support/agent/readings.ts'
import { hostOn } from './host.ts'
import type { Machine } from './machine.ts'
import type { Peer } from './network.ts'
import { Process } from './process.ts'
import type { World } from './world.ts'

type App = ReturnType<typeof createApp>

/** The real agent on a simulated machine, across its restarts. */
export class SimulatedAgent implements Peer {
  readonly name: string
  readonly machine: Machine
  readonly #world: World
  #process: Process | undefined
  #app: App | undefined
  #starts = 0

  constructor(world: World, name: string, machine: Machine) {
    this.#world = world
    this.name = name
    this.machine = machine
  }

  get up(): boolean {
    return this.#process?.alive === true
  }

  get process(): Process | undefined {
    return this.#process
  }

  listening() {
    const [app, process] = [this.#app, this.#process]
    if (!app || !process?.alive) return undefined
    return { process, fetch: async (request: Request) => app.fetch(request) }
  }

  start(): void {
    if (this.up) return
    const { timeline, trace } = this.#world
    this.#starts += 1
    const name = `${this.name}.${this.#starts}`
    const process = new Process(name, this.#world, () => this.#ended(process))
    this.#process = process
    trace(name, 'starts')
    const began = timeline.now
    timeline.as(process, 'recovery', () =>
      this.#open(process).then(
        (app) => {
          this.#app = app
          trace(name, `listens after ${Math.round(timeline.now - began)} ms`)
        },
        (error: unknown) => this.#world.broken(`${name} does not start: ${error}`),
      ),
    )
  }

  kill(): void {
    this.#process?.kill()
  }

  /** The machine restarts by itself, with its agent. */
  losePower(): void {
    this.kill()
    this.#world.trace(this.name, 'loses power')
    this.machine.losePower(this.#world.dice)
  }

  /** Like agent/start.ts, without the check of proofs. */
  async #open(process: Process): Promise<App> {
    const { timeline, dice, trace, broken, commands } = this.#world
    const host = hostOn(this.machine, process, timeline, dice.fork())
    const report = (error: unknown) => trace(process.name, `reports ${error}`)
    const runner = new Runner({ host, commands, report })
    await runner.recover()
    const policy = new Policy({ ...host, path: '/etc/hosting-agent/policy', store: runner.store })
    return createApp({
      runner,
      readings,
      ...readingDeps(host),
      gate: openGate,
      policy,
      report: (error) => broken(`${process.name} answers 500: ${error}`),
    })
  }

  #ended(process: Process): void {
    this.#app = undefined
    this.#world.trace(process.name, 'is killed')
    this.#world.network.ended(process)
    // Like systemd: Restart=always, RestartSec=2.
    this.#world.timeline.later(2_000 + this.#world.dice.below(500), () => this.start())
  }
}
