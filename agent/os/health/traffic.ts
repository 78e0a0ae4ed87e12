import type { Host } from '#agent/host/ports.ts'
import { logsOf } from '#agent/os/site/paths.ts'

/** Without a visitor for this long, a site is not checked so that its PHP can sleep. */
const QUIET_MS = 5 * 60_000

/** Whether the site has visitors besides the health check, by the size of its access log. */
export class Traffic {
  #size: number | undefined
  #visitors_at: number
  /** Our own visit has written to the log since the last check. */
  #own = false

  constructor(now: number) {
    this.#visitors_at = now
  }

  async look(host: Host, user: string): Promise<void> {
    const size = (await host.files.stat(`${logsOf(user)}/access.log`))?.size ?? 0
    if (size !== this.#size && !this.#own) this.#visitors_at = host.clock.elapsed()
    this.#size = size
    this.#own = false
  }

  visited(): void {
    this.#own = true
  }

  isQuiet(now: number): boolean {
    return now - this.#visitors_at > QUIET_MS
  }
}
