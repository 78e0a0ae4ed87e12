import { isFrozen } from '#agent/features/web/vhost-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Runner } from '#agent/kernel/operations/runner.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { apexOf } from '#shared/kernel/names.ts'

const FIRST_PAUSE_MS = 60_000
const MAX_PAUSE_MS = 3_600_000

/**
 * Ends debug logs whose time is over, as ordinary operations: the time stands in the record of the
 * site, so that a restart or a reboot changes nothing. PHP ends them by itself, too, but WordPress
 * could then still choose where its errors are written. A busy site follows in the next round, one
 * that moves afterwards, and one that failed after a pause that doubles: each attempt reloads PHP.
 */
export class DebugWatch {
  /** The pause after a failure and the time when it ends, by the domain of the site. */
  #failed = new Map<string, { pause_ms: number; until: number }>()

  async look(
    host: Host,
    runner: Pick<Runner, 'isBusy' | 'start'>,
    report: (error: unknown) => void,
  ): Promise<void> {
    const failed = this.#failed
    this.#failed = new Map()
    for (const site of await listSites(host)) {
      const { domain } = site
      const before = failed.get(domain)
      if (before) this.#failed.set(domain, before)
      if (!(await isDue(host, site)) || runner.isBusy(apexOf(domain))) continue
      if (before && host.clock.elapsed() < before.until) continue
      this.#failed.delete(domain)
      const failure = await endDebugLog(runner, domain)
      if (failure === undefined) continue
      const pause_ms = Math.min((before?.pause_ms ?? FIRST_PAUSE_MS / 2) * 2, MAX_PAUSE_MS)
      this.#failed.set(domain, { pause_ms, until: host.clock.elapsed() + pause_ms })
      report(new Error(`The debug log of ${domain} could not be switched off: ${failure}`))
    }
  }
}

/** Returns whether it is due; a moving site is frozen, or leaves with its settings. */
async function isDue(host: Host, { domain, debug, moving }: Site): Promise<boolean> {
  if (!debug || Date.parse(debug.until) > host.clock.now()) return false
  const isMoving = moving?.to !== undefined || moving?.closed === true
  return !isMoving && !(await isFrozen(host, domain))
}

/** Ends the debug log; returns the reason of a failure. */
async function endDebugLog(
  runner: Pick<Runner, 'start'>,
  domain: string,
): Promise<string | undefined> {
  try {
    const operation = await runner.start('wp.debug', { domain, until: null })
    const failure = await operation.untilEnd()
    return failure && JSON.stringify(failure)
  } catch (error) {
    return String(error)
  }
}
