import type { Host } from '#agent/kernel/host/ports.ts'
import { debugLogOf } from '#agent/kernel/sandbox/debug.ts'
import { fpmLogOf, homeOf, jobsLogOf, logrotatePath } from '#agent/kernel/site/paths.ts'
import { listSites } from '#agent/kernel/site/sites.ts'
import { MAX_LOG_BYTES } from '#shared/logs/site-logs.ts'
import { pathsOf, readerOf, rightsOf } from './sources.ts'

const TIMEOUT_MS = 10 * 60_000
/** The time limit of one site, whose logs must not delay those of others. */
const OWN_TIMEOUT_MS = 60_000
const DAY_MS = 24 * 3_600_000

/**
 * Rotates the logs of all sites. logrotate(8) rotates those of nginx each day; here they are
 * rotated when they exceed their size, since that of an attacked site grows by gigabytes in a day.
 * Those in the folder of a site are rotated here only, with the rights and the limits of the site.
 */
export class LogRotation {
  /** The time of the last rotation of a user's logs, by clock.elapsed(). */
  readonly #done = new Map<string, number>()

  async look(host: Host, report: (error: unknown) => void): Promise<void> {
    const sites = await listSites(host)
    for (const { user } of sites) {
      await rotateLarge(host, user).catch(report)
      await this.#rotateOwn(host, user).catch(report)
    }
    const users = new Set(sites.map(({ user }) => user))
    for (const user of this.#done.keys()) if (!users.has(user)) this.#done.delete(user)
  }

  async #rotateOwn(host: Host, user: string): Promise<void> {
    const now = host.clock.elapsed()
    const isDue = now - (this.#done.get(user) ?? -DAY_MS) >= DAY_MS
    const own = [...pathsOf(host, 'php', user), debugLogOf(user), jobsLogOf(user)]
    if (!isDue && !(await isLarge(host, own))) return
    this.#done.set(user, now)
    const paths = [`${homeOf(user)}/logs`]
    const request = { what: 'rotate', source: 'php', paths, budget_ms: OWN_TIMEOUT_MS }
    const { code, stderr } = await host.shell.try(readerOf(host), {
      ...rightsOf(host, 'php', user),
      input: `${JSON.stringify(request)}\n`,
      timeout_ms: OWN_TIMEOUT_MS,
    })
    refuseFailure(user, code, stderr)
  }
}

async function rotateLarge(host: Host, user: string): Promise<void> {
  const paths = (['access', 'error'] as const).flatMap((source) => pathsOf(host, source, user))
  if (!(await isLarge(host, [...paths, fpmLogOf(user)]))) return
  // The state is that of the daily run, which locks it.
  const { code, stderr } = await host.shell.try(['logrotate', logrotatePath(user)], {
    unconfined: true,
    timeout_ms: TIMEOUT_MS,
  })
  refuseFailure(user, code, stderr)
}

async function isLarge(host: Host, paths: readonly string[]): Promise<boolean> {
  const found = await Promise.all(paths.map((path) => host.files.stat(path)))
  return found.some((stat) => stat?.kind === 'file' && stat.size > MAX_LOG_BYTES)
}

function refuseFailure(user: string, code: number, stderr: string): void {
  if (code !== 0) throw new Error(`The logs of ${user} were not rotated: ${stderr.slice(-500)}`)
}
