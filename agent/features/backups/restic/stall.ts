import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const LOOK_MS = 1000

const count = z.number().default(0)
const Status = z.object({
  message_type: z.literal('status'),
  ...{ total_files: count, total_bytes: count, files_done: count, bytes_done: count },
  ...{ files_restored: count, bytes_restored: count, files_skipped: count, bytes_skipped: count },
  files_deleted: count,
})

/**
 * Ends the restic of an operation that makes no progress, as its lines of status or its bytes show. restic repeats
 * a failed request for 15 minutes, and a restore then continues with the next file of the target.
 */
export class Stall implements Disposable {
  readonly #host: Host
  readonly #timer: ReturnType<typeof setInterval>
  #state = ''
  #since: number
  /** Whether it was ended. */
  over = false

  constructor(host: Host) {
    this.#host = host
    this.#since = host.clock.elapsed()
    this.#timer = setInterval(() => void this.look(), LOOK_MS)
  }

  /** A line of its output. */
  async see(line: string): Promise<void> {
    const status = parseJson(Status, line)
    if (status) this.#note(JSON.stringify(status))
    await this.look()
  }

  /** For one that has no status: the bytes that it has read or written. */
  reached(bytes: number): void {
    this.#note(`${bytes}`)
  }

  #note(state: string): void {
    if (state !== this.#state) this.#since = this.#host.clock.elapsed()
    this.#state = state
  }

  async look(): Promise<void> {
    const { clock, programs, operation, settings } = this.#host
    if (this.over || clock.elapsed() - this.#since < settings.restic_stall_ms) return
    this.over = true
    // Not SIGTERM: restic would first remove its lock from the target.
    if (operation !== undefined) await programs.signal(operation, 'SIGKILL')
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
