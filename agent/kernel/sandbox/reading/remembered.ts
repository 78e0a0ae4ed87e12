import type { Host } from '#agent/kernel/host/ports.ts'

/** An answer is fresh until FRESH_MS; until STALE_MS it is returned while it is renewed. */
const FRESH_MS = 300_000
const STALE_MS = 3_600_000
const MOST = 10_000

interface Entry<T> {
  at: number
  value: T | undefined
  coming: Promise<T> | undefined
}

/** A cache of expensive answers, in memory. */
export class Remembered<T> {
  readonly #clock: Host['clock']
  readonly #entries = new Map<string, Entry<T>>()

  constructor({ clock }: Pick<Host, 'clock'>) {
    this.#clock = clock
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }

  /** A cached answer that is fresh enough. */
  known(key: string): T | undefined {
    return this.#young(this.#entries.get(key), FRESH_MS)
  }

  /** Undefined: the answer is not there within `wait_ms`, and comes later. Default: no limit. */
  async get(key: string, work: () => Promise<T>, wait_ms?: number): Promise<T | undefined> {
    const fresh = this.known(key)
    if (fresh !== undefined) return fresh
    const entry = this.#entries.get(key) ?? { at: 0, value: undefined, coming: undefined }
    entry.coming ??= this.#ask(key, entry, work)
    const stale = this.#young(entry, STALE_MS)
    if (stale !== undefined) return stale
    if (wait_ms === undefined) return entry.coming
    return Promise.race([entry.coming, this.#clock.sleep(wait_ms).then(() => undefined)])
  }

  #ask(key: string, entry: Entry<T>, work: () => Promise<T>): Promise<T> {
    this.#entries.set(key, entry)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > MOST && oldest !== undefined) this.#entries.delete(oldest)
    const coming = work().finally(() => {
      entry.coming = undefined
    })
    coming.then(
      (value) => Object.assign(entry, { value, at: this.#clock.elapsed() }),
      () => this.forget(key),
    )
    return coming
  }

  #young(entry: Entry<T> | undefined, most_ms: number): T | undefined {
    if (entry?.value === undefined) return undefined
    return this.#clock.elapsed() - entry.at < most_ms ? entry.value : undefined
  }
}
