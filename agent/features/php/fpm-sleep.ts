import type { Host } from '#agent/kernel/host/ports.ts'
import { servicesOf } from '#agent/kernel/services/index.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import { logsOf } from '#agent/kernel/site/paths.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { machineOf, tierLimitsOn } from '#agent/kernel/site/tiers.ts'
import { fpmService, type Pool, socketOf } from './fpm-files.ts'
import { connectionInodes } from './fpm-requests.ts'
import { isOnlyVisits } from './health-check-lines.ts'

/** The idle time of PHP of a suspended site, which has no visitors. */
const SUSPENDED_MS = 60_000

/** The size of an access log, the time of the last visitor's change, and whether PHP ran then. */
interface QuietTime {
  size: number
  since: number
  runs: boolean
}

/**
 * Stops the PHP-FPM of sites without visitors, which frees all of its memory: 35 MB and more of
 * OPcache and master. systemd keeps the socket: a new request, also during the stop, waits there
 * and starts it again. A running request is completed first.
 */
export class Sleeper {
  readonly #silences = new Map<string, QuietTime>()

  /** Checks all sites once; does not throw if a PHP-FPM does not stop. */
  async look(host: Host, report: (error: unknown) => void): Promise<void> {
    if (!servicesOf(host).holdsSockets) return
    const sites = await listSites(host)
    const machine = await machineOf(host)
    for (const user of this.#silences.keys()) {
      if (!sites.some((site) => site.user === user)) this.#silences.delete(user)
    }
    for (const site of sites) {
      const idle_ms = site.suspended ? SUSPENDED_MS : tierLimitsOn(site.tier, machine).sleep * 1000
      await this.#lookAt(host, site, idle_ms).catch(report)
    }
  }

  /** `idle_ms` is the time without visitors after which it is stopped; 0 for never. */
  async #lookAt(host: Host, { user, php }: Site, idle_ms: number): Promise<void> {
    if (idle_ms === 0) return
    const pool = { user, php }
    const runs = await isRunning(host, fpmService(pool))
    const silent_ms = await this.#silence(host, user, runs)
    if (!runs || silent_ms < idle_ms) return
    if ((await connectionInodes(host, pool)).size > 0) return
    await putToSleep(host, pool)
  }

  /**
   * Returns the milliseconds since the last completed request of a visitor, when nginx writes its
   * log. A woken PHP-FPM gets its whole idle time, unless a health check woke it.
   */
  async #silence(host: Host, user: string, runs: boolean): Promise<number> {
    const now = host.clock.elapsed()
    const path = `${logsOf(user)}/access.log`
    const size = (await host.files.stat(path))?.size ?? 0
    const known = this.#silences.get(user)
    const isSilent =
      known?.size === size ? known.runs || !runs : await isUnvisited(host, path, known, size)
    const since = known && isSilent ? known.since : now
    this.#silences.set(user, { size, since, runs })
    return now - since
  }
}

const isUnvisited = async (host: Host, path: string, known: QuietTime | undefined, to: number) =>
  known !== undefined && (await isOnlyVisits(host, path, { from: known.size, to }))

/** Stops PHP-FPM but not during a change of the pool. A late stop does not stay failed. */
export function putToSleep(host: Host, pool: Pool): Promise<void> {
  const { unit } = fpmService(pool)
  return host.exclusive(unit, async () => {
    if (!(await isListening(host, pool))) return
    await host.shell.run(['systemctl', 'stop', unit])
    await host.shell.try(['systemctl', 'reset-failed', unit])
  })
}

/** `asleep` is stopped, and a connection starts it; `broken` is stopped without that. */
export type PoolState = 'running' | 'asleep' | 'broken'

export async function poolState(host: Host, pool: Pool): Promise<PoolState> {
  const service = fpmService(pool)
  if (await isRunning(host, service)) return 'running'
  if (!servicesOf(host).holdsSockets || !(await host.files.stat(socketOf(pool)))) return 'broken'
  const failed = await host.shell.try(['systemctl', 'is-failed', '--quiet', service.unit])
  return failed.code !== 0 && (await isListening(host, pool)) ? 'asleep' : 'broken'
}

/** Returns whether systemd has the socket, on which a request waits until PHP-FPM runs. */
export async function isListening({ shell }: Pick<Host, 'shell'>, pool: Pool): Promise<boolean> {
  const { socket_unit } = fpmService(pool)
  return (await shell.try(['systemctl', 'is-active', '--quiet', socket_unit])).code === 0
}
