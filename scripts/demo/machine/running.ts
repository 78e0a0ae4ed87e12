import type { Output, Programs } from '#agent/host/ports.ts'

const ENDED: Output = { code: 143, stdout: '', stderr: 'Terminated' }

/** What runs for operations right now; a program that is ended does nothing any more. */
export class Running implements Programs {
  readonly #ends = new Map<string, Set<() => void>>()

  /** Takes `ms`, and does what the program does at its end, when it gets there. */
  async run(operation: string, ms: number, effect: () => Output | Promise<Output>) {
    if (ms <= 0) return effect()
    const mine = this.#ends.get(operation) ?? new Set()
    this.#ends.set(operation, mine)
    const { promise, resolve } = Promise.withResolvers<'done' | 'ended'>()
    const timer = setTimeout(() => resolve('done'), ms)
    const end = () => resolve('ended')
    mine.add(end)
    try {
      return (await promise) === 'done' ? await effect() : ENDED
    } finally {
      clearTimeout(timer)
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
