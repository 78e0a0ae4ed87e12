import { rest } from '#dashboard/runtime/clock.ts'
import type { Log } from '#dashboard/runtime/log.ts'
import { type StepDeps, takeStep } from './advance.ts'
import { listUnfinishedBulks } from './progress.queries.ts'

type Deps = StepDeps & { log: Log; retry_max_ms: number }

/** The bus topic for an ended operation or a changed bulk operation. */
export const BULK_NEWS = 'bulk operations'

/** For changes without a notification: a deleted operation, another dashboard on the same records. */
const LOOK_MS = 5_000

/** Runs each bulk operation to its end, step by step; its whole state is in the records. */
export class BulkRunner {
  readonly #deps: Deps
  readonly #running = new Map<string, Promise<void>>()
  readonly #stopping = new AbortController()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Continues the unfinished work of an earlier process. */
  async resume(): Promise<void> {
    for (const id of await listUnfinishedBulks(this.#deps.db)) this.start(id)
  }

  start(id: string): void {
    if (this.#running.has(id) || this.#stopping.signal.aborted) return
    const carried = this.#carry(id).finally(() => this.#running.delete(id))
    this.#running.set(id, carried)
  }

  /** Stops everything: the records stay unchanged for the next process. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#running.values())
  }

  async #carry(id: string): Promise<void> {
    const { bus, clock, log, retry_max_ms } = this.#deps
    for (const { signal } = this.#stopping; !signal.aborted; ) {
      using news = bus.next(BULK_NEWS)
      try {
        const step = await takeStep(this.#deps, id)
        if (step === 'over') return
        if (step === 'idle') await rest(clock, LOOK_MS, news.promise, signal)
      } catch (error) {
        log.error('bulk operation failed unexpectedly', error, { bulk_id: id })
        await clock.sleep(retry_max_ms, signal)
      }
    }
  }
}
