import type { Limit } from '#agent/kernel/host/scanner-port.ts'

export interface Limits {
  /** Entries of folders. */
  entries: number
  /** Bytes of files. */
  bytes: number
  ms: number
}

/** A WordPress with 500 plugins needs about a tenth of each. */
export const LIMITS: Limits = { entries: 50_000, bytes: 64 << 20, ms: 1000 }

/** The remaining budget of a scan. Once a limit is reached, nothing more is granted. */
export class Budget {
  #left: { entries: number; bytes: number }
  readonly #end: number
  readonly #elapsed: () => number
  #reached: Limit = null

  constructor(limits: Limits, elapsed: () => number) {
    this.#left = { entries: limits.entries, bytes: limits.bytes }
    this.#elapsed = elapsed
    this.#end = elapsed() + limits.ms
  }

  /** The first limit that was reached. */
  get reached(): Limit {
    return this.#reached
  }

  /** Whether the scan may continue. */
  goesOn(): boolean {
    if (this.#reached === null && this.#elapsed() >= this.#end) this.#reached = 'time'
    return this.#reached === null
  }

  /** Takes up to `amount`; returns what is granted. */
  take(kind: 'entries' | 'bytes', amount: number): number {
    const granted = Math.min(amount, this.#left[kind])
    this.#left[kind] -= granted
    if (granted < amount) this.#reached ??= kind
    return granted
  }
}
