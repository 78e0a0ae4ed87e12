import type { Host } from '#agent/host/ports.ts'
import { debugLogOf } from '#agent/os/as-site/debug.ts'
import { LARGEST_LOG, logrotatePath } from '#agent/os/cron/cron.ts'
import { listSites } from '#agent/os/site/sites.ts'
import { pathsOf } from './sources.ts'

const LIMIT_MS = 10 * 60_000
const ROTATED = ['access', 'error', 'php'] as const

/**
 * Rotates the logs of sites that have grown beyond their size: Debian runs logrotate(8) once a day,
 * and a log of an attacked site grows by gigabytes in that time.
 */
export async function rotateLarge(host: Host, report: (error: unknown) => void): Promise<void> {
  for (const { user } of await listSites(host)) {
    if (!(await isLarge(host, user))) continue
    // The state is that of the daily run, which locks it.
    const { code, stderr } = await host.shell.try(['logrotate', logrotatePath(user)], {
      unconfined: true,
      timeout_ms: LIMIT_MS,
    })
    if (code !== 0) report(new Error(`The logs of ${user} were not rotated: ${stderr.slice(-500)}`))
  }
}

async function isLarge(host: Host, user: string): Promise<boolean> {
  const paths = [...ROTATED.flatMap((source) => pathsOf(host, source, user)), debugLogOf(user)]
  const found = await Promise.all(paths.map((path) => host.files.stat(path)))
  return found.some((stat) => stat?.kind === 'file' && stat.size > LARGEST_LOG)
}
