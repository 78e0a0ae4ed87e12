import type { Host } from '#agent/kernel/host/ports.ts'

/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 10_000
/** A process that survives SIGKILL this long hangs in the kernel, and never continues its work. */
const STUCK_MS = 10_000
const POLL_MS = 5

/** The running programs of one operation. */
export class OwnPrograms {
  readonly #host: Pick<Host, 'programs' | 'clock'>
  readonly #operation: string

  constructor(host: Pick<Host, 'programs' | 'clock'>, operation: string) {
    this.#host = host
    this.#operation = operation
  }

  /** With SIGTERM and later SIGKILL, which `forced` brings forward. */
  async end(isForced: () => boolean, forced: Promise<void>): Promise<void> {
    const { programs, clock } = this.#host
    if (!isForced()) {
      await programs.signal(this.#operation, 'SIGTERM')
      const end = clock.elapsed() + GRACE_MS
      while (!isForced() && clock.elapsed() < end && (await this.#left()) > 0) {
        await Promise.race([clock.sleep(10 * POLL_MS), forced])
      }
    }
    await this.kill()
  }

  async kill(): Promise<void> {
    const { programs, clock } = this.#host
    const end = clock.elapsed() + STUCK_MS
    while ((await this.#left()) > 0 && clock.elapsed() < end) {
      await programs.signal(this.#operation, 'SIGKILL')
      await clock.sleep(POLL_MS)
    }
  }

  #left(): Promise<number> {
    return this.#host.programs.count(this.#operation)
  }
}
