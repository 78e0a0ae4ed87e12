import type { Bus } from '#dashboard/kernel/runtime/bus.ts'
import { type Clock, rest } from '#dashboard/kernel/runtime/clock.ts'
import type { Log } from '#dashboard/kernel/runtime/log.ts'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import type { FleetNews } from '#shared/operations/api/live.ts'
import { Changes, LOOK_MS, siteNews } from './changes.ts'
import { Subscriber } from './subscriber.ts'

type Deps = ConstructorParameters<typeof Changes>[0] & { bus: Bus; clock: Clock; log: Log }

/** Limits the reads for fifty operations with logs to four per second. */
const LEAST_MS = 250

const SITES = 'sites of '
/** The bus topic for a sync that has changed sites of a server. */
export const sitesOf = (server_id: number) => `${SITES}${server_id}`

/** Sends changes of the records to all listening clients, with one read for all of them. */
export class Feed {
  readonly #deps: Deps
  readonly #subscribers = new Set<Subscriber>()
  readonly #stopping = new AbortController()
  #ready: Promise<void> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Once it resolves, every later change is sent to all who request the events. */
  async listen(): Promise<(signal: AbortSignal) => AsyncGenerator<StoredEvent>> {
    await this.#begin()
    return (signal) => {
      const subscriber = new Subscriber()
      this.#subscribers.add(subscriber)
      signal.addEventListener('abort', () => this.#subscribers.delete(subscriber), { once: true })
      void this.#begin().catch(() => undefined)
      return subscriber.events(signal)
    }
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** The first read only learns the current state. */
  #begin(): Promise<void> {
    this.#ready ??= this.#learn()
    return this.#ready
  }

  async #learn(): Promise<void> {
    const changes = new Changes(this.#deps)
    try {
      await changes.look()
    } catch (error) {
      this.#ready = undefined
      throw error
    }
    void this.#watch(changes)
  }

  async #watch(changes: Changes): Promise<void> {
    const { bus, clock, log } = this.#deps
    const { signal } = this.#stopping
    const sites = new Set<number>()
    let news = Promise.withResolvers<void>()
    const leave = bus.listen((key) => {
      if (key.startsWith(SITES)) sites.add(Number(key.slice(SITES.length)))
      news.resolve()
    })
    do {
      await rest(clock, LOOK_MS, news.promise, signal)
      news = Promise.withResolvers<void>()
      try {
        const found = await changes.look()
        this.#publish([...found, ...[...sites].map((id) => siteNews(null, id))])
        sites.clear()
      } catch (error) {
        log.error('changes could not be read', error)
      }
      await clock.sleep(LEAST_MS, signal)
    } while (this.#subscribers.size > 0 && !signal.aborted)
    leave()
    this.#ready = undefined
  }

  #publish(news: readonly FleetNews[]): void {
    for (const subscriber of this.#subscribers) subscriber.receive(news)
  }
}
