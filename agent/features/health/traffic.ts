import { isOnlyVisits } from '#agent/features/php/only-visits.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { logsOf } from '#agent/kernel/site/paths.ts'

/** Without a visitor for this long, a site is not checked so that its PHP can sleep. */
const QUIET_MS = 5 * 60_000

/** Whether the site has visitors besides health checks, by its access log. */
export class Traffic {
  #size: number | undefined
  #visitors_at: number

  constructor(now: number) {
    this.#visitors_at = now
  }

  async look(host: Host, user: string): Promise<void> {
    const path = `${logsOf(user)}/access.log`
    const to = (await host.files.stat(path))?.size ?? 0
    const from = this.#size
    this.#size = to
    if (to === from) return
    if (from !== undefined && (await isOnlyVisits(host, path, { from, to }))) return
    this.#visitors_at = host.clock.elapsed()
  }

  isQuiet(now: number): boolean {
    return now - this.#visitors_at > QUIET_MS
  }
}
