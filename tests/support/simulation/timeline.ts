import { AsyncLocalStorage } from 'node:async_hooks'
import type { Process } from './process.ts'

/** The process and operation that changes on a machine belong to. */
interface Scope {
  process: Process
  operation: string
}

interface Entry {
  at: number
  order: number
  scope: Scope | undefined
  /** The callback of the entry; undefined when it was cancelled. */
  run: (() => void) | undefined
}

const REAL = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
}

/** A timer as programs hold it; `unref` does nothing, because no process here exits. */
class Timer {
  entry: Entry | undefined
  unref = () => this
  ref = () => this
}

/**
 * Time that stands still while any work remains at this moment, and then jumps to the next timer.
 * While installed it replaces all timers of the process.
 */
export class Timeline {
  /** Milliseconds since the start. */
  now = 0
  readonly #waiting = new Heap()
  readonly #scopes = new AsyncLocalStorage<Scope>()
  #order = 0

  get scope(): Scope | undefined {
    return this.#scopes.getStore()
  }

  /** Runs code for a process and one of its operations. */
  as<T>(process: Process, operation: string, work: () => T): T {
    return this.#scopes.run({ process, operation }, work)
  }

  /** Runs later, for the calling process; not if that process has ended by then. */
  after(ms: number, run: () => void): Entry {
    const entry = { at: this.now + Math.max(0, ms), order: this.#order++, scope: this.scope, run }
    this.#waiting.add(entry)
    return entry
  }

  /** The same, even if the caller ends. */
  later(ms: number, run: () => void): void {
    this.#waiting.add({ at: this.now + ms, order: this.#order++, scope: undefined, run })
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve))
  }

  /** Runs until `done` (true) or the given time (false). */
  async run(until: number, done: () => boolean): Promise<boolean> {
    await settled()
    while (!done()) {
      const next = this.#waiting.take(until)
      if (!next) {
        this.now = until
        return false
      }
      this.now = next.at
      if (!next.run || next.scope?.process.alive === false) continue
      if (next.scope) this.#scopes.run(next.scope, next.run)
      else this.#scopes.exit(next.run)
      await settled()
    }
    return true
  }

  /** Replaces the process's timers; the returned function restores them. */
  install(): () => void {
    const set = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
      const timer = new Timer()
      timer.entry = this.after(ms, () => run(...given))
      return timer
    }
    const repeat = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
      const timer = new Timer()
      const again = () => {
        timer.entry = this.after(ms, again)
        run(...given)
      }
      timer.entry = this.after(ms, again)
      return timer
    }
    const clear = (timer: unknown) => {
      if (timer instanceof Timer && timer.entry) timer.entry.run = undefined
    }
    Object.assign(globalThis, {
      setTimeout: set,
      clearTimeout: clear,
      setInterval: repeat,
      clearInterval: clear,
      // Otherwise time would pass while work that yields to other work waits for its turn.
      setImmediate: (run: (...given: unknown[]) => void, ...given: unknown[]) =>
        set(run, 0, ...given),
      clearImmediate: clear,
    })
    return () => void Object.assign(globalThis, REAL)
  }
}

/** All work that needs no time has been done: nothing here does real input or output. */
function settled(): Promise<void> {
  return new Promise((resolve) => void REAL.setImmediate(resolve))
}

/** The earliest first; at the same moment, in the order of addition. */
class Heap {
  readonly #entries: Entry[] = []

  add(entry: Entry): void {
    const entries = this.#entries
    let at = entries.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = entries[parent]
      if (!above || isBefore(above, entry)) break
      entries[at] = above
      at = parent
    }
    entries[at] = entry
  }

  take(until: number): Entry | undefined {
    const entries = this.#entries
    const [first] = entries
    if (!first || first.at > until) return undefined
    const last = entries.pop()
    if (last && entries.length > 0) this.#sink(last)
    return first
  }

  #sink(entry: Entry): void {
    const entries = this.#entries
    let at = 0
    for (;;) {
      const [left, right] = [entries[2 * at + 1], entries[2 * at + 2]]
      if (!left) break
      const below = right && isBefore(right, left) ? right : left
      if (isBefore(entry, below)) break
      entries[at] = below
      at = below === left ? 2 * at + 1 : 2 * at + 2
    }
    entries[at] = entry
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order)
}
