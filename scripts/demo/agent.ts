import { createApp } from '#agent/app.ts'
import { type Ask, asking } from '#agent/calls/reading.ts'
import { commands } from '#agent/commands/index.ts'
import type { Host } from '#agent/host/ports.ts'
import { type Listening, listen } from '#agent/http/listen.ts'
import { Runner } from '#agent/operations/runner.ts'
import { FoundMonitor } from '#agent/os/health/found/monitor.ts'
import { HealthMonitor } from '#agent/os/health/monitor.ts'
import { NumbersCollector } from '#agent/os/numbers/collector.ts'
import { Policy } from '#agent/policy/policy.ts'
import { readings } from '#agent/readings/index.ts'
import { openGate } from '#agent/trust/gate.ts'
import { type Rotation, rotationOf } from '#agent/trust/rotation.ts'
import { TrustedDashboard } from '#agent/trust/trusted-dashboard.ts'
import { apexOf } from '#shared/names.ts'

/** The pause after each check of all sites: simulated servers share one processor. */
const CHECK_MS = 10_000
const CHECK_MS_A_SITE = 60

/** The agent of a simulated server: everything except its machine is the real one. */
export class DemoAgent {
  /** Asks its readings without a request. */
  readonly ask: Ask
  readonly #app: ReturnType<typeof createApp>
  readonly #own: HealthMonitor
  readonly #found: FoundMonitor
  readonly #host: Host
  #listening: Listening | undefined

  constructor(host: Host, report: (error: unknown) => void) {
    const runner = new Runner({ host, commands, report: (error) => report(error) })
    this.#host = host
    this.#own = new HealthMonitor(host, {
      isBusy: (domain) => runner.isBusy(apexOf(domain)),
      report,
    })
    this.#found = new FoundMonitor(host)
    const deps = {
      host,
      runner,
      health: () => [...this.#own.list(), ...this.#found.list()],
      numbers: new NumbersCollector(host),
      rotation: rotationOn(host),
    }
    this.ask = asking(readings, deps, new AbortController().signal)
    this.#app = createApp({
      ...deps,
      readings,
      gate: openGate,
      policy: new Policy({ ...host, path: '/etc/hosting-agent/policy.json', store: runner.store }),
      report,
    })
  }

  /** The loopback port; 0: it does not listen. */
  get port(): number {
    return this.#listening ? Number(new URL(this.#listening.url).port) : 0
  }

  get up(): boolean {
    return this.#listening !== undefined
  }

  async start(): Promise<void> {
    if (this.#listening) return
    const loopback = { address: '127.0.0.1', port: 0 }
    this.#listening = await listen((request) => this.#app.fetch(request), loopback)
    void this.#watch(this.#listening)
  }

  /** As agent/rounds.ts does, at its own pace while the server is online. */
  async #watch(listening: Listening): Promise<void> {
    while (this.#listening === listening) {
      await this.#own.look()
      await this.#own.visit(this.#found.size)
      await this.#found.visit(this.#own.size)
      const sites = this.#own.size + this.#found.size
      await this.#host.clock.sleep(CHECK_MS + CHECK_MS_A_SITE * sites)
    }
  }

  /** Offline; running work continues. */
  async stop(): Promise<void> {
    const listening = this.#listening
    this.#listening = undefined
    await listening?.stop()
  }
}

/** The dashboard gives it new keys, as it does for every agent; the caller needs no proof. */
function rotationOn({ files, clock, exclusive, settings }: Host): Rotation {
  const trust = new TrustedDashboard(files, settings.state_dir)
  return rotationOf({ trust, exclusive, now: () => Math.floor(clock.now() / 1000) })
}
