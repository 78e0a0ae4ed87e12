import type { Leases } from '#dashboard/kernel/leases/leases.ts'
import { FLEET } from '#dashboard/kernel/leases/shares.ts'
import { sleepOrWake } from '#dashboard/kernel/runtime/clock.ts'
import type { Log } from '#dashboard/kernel/runtime/log.ts'
import { type BulkStepDeps, runBulkStep } from './bulk-step.ts'
import { listUnfinishedBulks } from './progress.queries.ts'

type Deps = BulkStepDeps & { log: Log; leases: Leases; retry_min_ms: number; retry_max_ms: number }

/** The bus topic for an ended operation or a changed bulk operation. */
export const BULK_NEWS = 'bulk operations'

/** The interval for changes without a notification, as of another dashboard. */
const POLL_MS = 5_000

/** Runs each bulk operation to its end, step by step; its whole state is in the records. */
export class BulkRunner {
  readonly #deps: Deps
  readonly #running = new Map<string, Promise<void>>()
  #stopping = new AbortController()
  #stopped = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Continues the unfinished work of an earlier process, and starts that of other dashboards. */
  async resume(): Promise<void> {
    if (!this.#deps.leases.holds(FLEET)) return
    for (const id of await listUnfinishedBulks(this.#deps.db)) this.start(id)
  }

  /** Runs a bulk operation, unless another dashboard runs it. */
  start(id: string): void {
    const { leases } = this.#deps
    if (this.#running.has(id) || this.#stopped || !leases.holds(FLEET)) return
    const { signal } = this.#stopping
    const carried = leases
      .run(FLEET, () => this.#carry(id, signal))
      .finally(() => {
        if (this.#running.get(id) === carried) this.#running.delete(id)
      })
    this.#running.set(id, carried)
  }

  /** Leaves the bulk operations to the dashboard that has their share now. */
  handOver(): void {
    this.#stopping.abort()
    this.#stopping = new AbortController()
    this.#running.clear()
  }

  /** Stops everything: the records stay unchanged for the next process. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopping.abort()
    await Promise.all(this.#running.values())
  }

  async #carry(id: string, signal: AbortSignal): Promise<void> {
    const { bus, clock, log, retry_min_ms, retry_max_ms } = this.#deps
    let pause = retry_min_ms
    while (!signal.aborted) {
      using news = bus.next(BULK_NEWS)
      try {
        const step = await runBulkStep(this.#deps, id)
        pause = retry_min_ms
        if (step === 'over') return
        if (step === 'idle') await sleepOrWake(clock, POLL_MS, news.promise, signal)
      } catch (error) {
        log.error('bulk operation failed unexpectedly', error, { bulk_id: id })
        await clock.sleep(pause, signal)
        pause = Math.min(pause * 2, retry_max_ms)
      }
    }
  }
}
