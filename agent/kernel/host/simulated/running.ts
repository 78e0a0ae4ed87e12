import type { Output, Programs } from '#agent/kernel/host/ports.ts'

const ENDED: Output = { code: 128, stdout: '', stderr: 'Terminated' }

/** The programs that run for operations now. A program that is ended has no effect after that. */
export class Running implements Programs {
  readonly #ends = new Map<string, Set<() => void>>()

  /** `work` runs the program to its end; `may` tells it just before its effect whether it still runs. */
  async run(operation: string, work: (may: () => boolean) => Promise<Output>): Promise<Output> {
    const killed = Promise.withResolvers<Output>()
    let runs = true
    const end = () => {
      runs = false
      killed.resolve(ENDED)
    }
    const mine = this.#ends.get(operation) ?? new Set()
    this.#ends.set(operation, mine.add(end))
    try {
      return await Promise.race([work(() => runs), killed.promise])
    } finally {
      mine.delete(end)
    }
  }

  async signal(operation: string): Promise<void> {
    for (const end of this.#ends.get(operation) ?? []) end()
  }

  async count(operation: string): Promise<number> {
    return this.#ends.get(operation)?.size ?? 0
  }

  async lasting(): Promise<number> {
    return 0
  }

  async forget(operation: string): Promise<void> {
    this.#ends.delete(operation)
  }
}
