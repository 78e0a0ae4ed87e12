import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { visibleTo } from '#dashboard/kernel/http/visible.queries.ts'
import type { Bus } from '#dashboard/kernel/runtime/bus.ts'
import { type Clock, sleepOrWake } from '#dashboard/kernel/runtime/clock.ts'
import type { Log } from '#dashboard/kernel/runtime/log.ts'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import type { FleetNews } from '#shared/operations/api/live.ts'
import { ChangeDetector, POLL_MS, siteNews } from './detect-changes.ts'
import { newsFor } from './visible-news.ts'

type Deps = ConstructorParameters<typeof ChangeDetector>[0] & { bus: Bus; clock: Clock; log: Log }

/** The shortest pause between reads, four per second for fifty operations with logs. */
const MIN_PAUSE_MS = 250

const SITES = 'sites of '
/** The bus topic for a sync that has changed sites of a server. */
export const sitesTopic = (server_id: number) => `${SITES}${server_id}`

/** Sends changes of the records to all listening clients, with one read for all of them. */
export class Feed {
  readonly #deps: Deps
  /** The subscribers with the callers whose events they get. */
  readonly #subscribers = new Map<Subscriber, Caller>()
  readonly #stopping = new AbortController()
  #ready: Promise<void> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Listens: once it resolves, every later change of what the caller may see is sent to all who
   * request the events.
   */
  async listen(caller: Caller): Promise<(signal: AbortSignal) => AsyncGenerator<StoredEvent>> {
    await this.#begin()
    return (signal) => {
      const subscriber = new Subscriber()
      this.#subscribers.set(subscriber, caller)
      signal.addEventListener('abort', () => this.#subscribers.delete(subscriber), { once: true })
      void this.#begin().catch(() => undefined)
      return subscriber.events(signal)
    }
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Reads the current state, from which changes count. */
  #begin(): Promise<void> {
    this.#ready ??= this.#learn()
    return this.#ready
  }

  async #learn(): Promise<void> {
    const changes = new ChangeDetector(this.#deps)
    try {
      await changes.look()
    } catch (error) {
      this.#ready = undefined
      throw error
    }
    void this.#watch(changes)
  }

  async #watch(changes: ChangeDetector): Promise<void> {
    const { bus, clock, log } = this.#deps
    const { signal } = this.#stopping
    const sites = new Set<number>()
    let news = Promise.withResolvers<void>()
    const leave = bus.listen((key) => {
      if (key.startsWith(SITES)) sites.add(Number(key.slice(SITES.length)))
      news.resolve()
    })
    do {
      await sleepOrWake(clock, POLL_MS, news.promise, signal)
      news = Promise.withResolvers<void>()
      try {
        const found = await changes.look()
        await this.#publish([...found, ...[...sites].map((id) => siteNews(null, id))])
        sites.clear()
      } catch (error) {
        log.error('changes could not be read', error)
      }
      await clock.sleep(MIN_PAUSE_MS, signal)
    } while (this.#subscribers.size > 0 && !signal.aborted)
    leave()
    this.#ready = undefined
  }

  async #publish(news: readonly FleetNews[]): Promise<void> {
    if (news.length === 0) return
    const { db } = this.#deps
    for (const [subscriber, caller] of this.#subscribers)
      subscriber.receive(await newsFor(db, news, await visibleTo(db, caller)))
  }
}

/** The pending events of one client: the latest of each object, however slowly it reads. */
export class Subscriber {
  readonly #waiting = new Map<string, FleetNews>()
  #wake = () => {}

  receive(news: readonly FleetNews[]): void {
    for (const one of news) this.#waiting.set(keyOf(one), one)
    this.#wake()
  }

  /** Returns the events, numbered from 1; they end with the signal. */
  async *events(signal: AbortSignal): AsyncGenerator<StoredEvent> {
    const end = () => this.#wake()
    signal.addEventListener('abort', end, { once: true })
    for (let id = 1; !signal.aborted; ) {
      const [next] = this.#waiting
      if (next) {
        const [key, data] = next
        this.#waiting.delete(key)
        yield { id: id++, event: 'log', data }
      } else await this.#news()
    }
    signal.removeEventListener('abort', end)
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

function keyOf(news: FleetNews): string {
  if (news.kind === 'operation') return `operation ${news.operation.id}`
  if (news.kind === 'site') return `site ${news.id} of ${news.server_id}`
  return `${news.kind} ${news.id}`
}
