import { fencedBy } from '#dashboard/kernel/db/fence.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import type { LeaseDeps } from './leases.ts'
import { exchangeNews, forgetNews, lastNews } from './news.queries.ts'
import { NEWS_MS } from './times.ts'

const FORGET_EVERY_MS = 60_000

/**
 * Passes the topics of the bus to the other dashboards, and theirs to this one. A topic may arrive
 * twice or, when a dashboard is killed, never: whoever waits for one also looks now and then.
 */
export class Relay {
  readonly #deps: LeaseDeps
  readonly #name: string
  readonly #signal: AbortSignal
  #waiting = new Set<string>()
  #last = 0
  #isReplaying = false
  #isBroken = false
  #forgotten = 0
  #loop: Promise<void> = Promise.resolve()

  constructor(deps: LeaseDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#name = randomText(deps.random, 16)
    this.#signal = signal
  }

  async start(): Promise<void> {
    const { db, bus } = this.#deps
    this.#last = await lastNews(db)
    bus.listen((topic) => {
      if (!this.#isReplaying) this.#waiting.add(topic)
    })
    this.#loop = fencedBy(undefined, () => this.#run())
  }

  /** The last topics are sent. */
  async stop(): Promise<void> {
    await this.#loop
    await this.#exchange()
  }

  async #run(): Promise<void> {
    const { clock } = this.#deps
    while (!this.#signal.aborted) {
      await this.#exchange()
      await clock.sleep(NEWS_MS, this.#signal)
    }
  }

  async #exchange(): Promise<void> {
    const { db, clock, log } = this.#deps
    const topics = this.#waiting
    this.#waiting = new Set()
    try {
      const news = await exchangeNews(db, {
        name: this.#name,
        topics: [...topics],
        after: this.#last,
      })
      this.#isBroken = false
      this.#last = news.at(-1)?.id ?? this.#last
      this.#replay(new Set(news.map(({ topic }) => topic)))
      if (clock.elapsed() < this.#forgotten + FORGET_EVERY_MS) return
      this.#forgotten = clock.elapsed()
      await forgetNews(db)
    } catch (error) {
      if (!this.#isBroken) log.error('news could not be exchanged with other dashboards', error)
      this.#isBroken = true
      this.#waiting = new Set([...topics, ...this.#waiting])
    }
  }

  #replay(topics: ReadonlySet<string>): void {
    this.#isReplaying = true
    try {
      for (const topic of topics) this.#deps.bus.notify(topic)
    } finally {
      this.#isReplaying = false
    }
  }
}
