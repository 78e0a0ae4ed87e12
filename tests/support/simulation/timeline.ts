import { AsyncLocalStorage } from 'node:async_hooks'
import type { Process } from './process.ts'

/** In whose name code runs: what is seen on the machine is known by it. */
interface Scope {
  process: Process
  operation: string
}

interface Entry {
  at: number
  order: number
  scope: Scope | undefined
  /** Undefined: it was taken back. */
  run: (() => void) | undefined
}

const REAL = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
}

/** A timer as programs hold it; `unref` is for processes that end, and here none does. */
class Timer {
  entry: Entry | undefined
  unref = () => this
  ref = () => this
}

/**
 * Time that stands still while there is anything to do at this moment, and then jumps to the next
 * thing that waits. All timers of the process are its own while it is installed.
 */
export class Timeline {
  /** Milliseconds since the beginning. */
  now = 0
  readonly #waiting = new Heap()
  readonly #scopes = new AsyncLocalStorage<Scope>()
  #order = 0

  get scope(): Scope | undefined {
    return this.#scopes.getStore()
  }

  /** Runs code as that of a process, and of one operation of it. */
  as<T>(process: Process, operation: string, work: () => T): T {
    return this.#scopes.run({ process, operation }, work)
  }

  /** Runs later, in the name of who asks now; not at all when that process has ended by then. */
  after(ms: number, run: () => void): Entry {
    const entry = { at: this.now + Math.max(0, ms), order: this.#order++, scope: this.scope, run }
    this.#waiting.add(entry)
    return entry
  }

  /** The same, whatever becomes of who asks. */
  later(ms: number, run: () => void): void {
    this.#waiting.add({ at: this.now + ms, order: this.#order++, scope: undefined, run })
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve))
  }

  /** Goes on until `done`, or until the time given; false: that came first. */
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

  /** Takes the timers of the process over; the returned function gives them back. */
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
    })
    return () => void Object.assign(globalThis, REAL)
  }
}

/** Everything that can go on without time passing has gone on: nothing here does real input or output. */
function settled(): Promise<void> {
  return new Promise((resolve) => void REAL.setImmediate(resolve))
}

/** The earliest first; of the same moment, the one that was added first. */
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
