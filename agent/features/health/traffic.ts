import { isOnlyVisits } from '#agent/features/php/health-check-lines.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { logsOf } from '#agent/kernel/site/paths.ts'

/** The time without a visitor after which a site is not checked so that its PHP can sleep. */
const QUIET_MS = 5 * 60_000

/** Watches the access log for visitors besides health checks. */
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
