import type { Host } from '#agent/kernel/host/ports.ts'
import { type Pool, socketOf } from './fpm-files.ts'

/** The duration from which on a request is long and delays a restart. */
const LONG_MS = 2000
/** The maximum wait for a site with long requests, which then get the ten seconds of a restart. */
const MAX_WAIT_MS = 5 * 60_000
const MAX_BYTES = 16 << 20

/**
 * Waits for a moment without long requests: a restart waits for running requests, and new ones wait
 * for the restart. Each connection of nginx to a PHP-FPM is one request.
 */
export async function awaitNoLongRequests(host: Host, pool: Pool): Promise<void> {
  const end = host.clock.elapsed() + MAX_WAIT_MS
  let before = await connectionInodes(host, pool)
  while (before.size > 0 && host.clock.elapsed() < end) {
    await host.clock.sleep(LONG_MS)
    const now = await connectionInodes(host, pool)
    if (now.isDisjointFrom(before)) return
    before = now
  }
}

/** Returns the inodes of the connections: in proc_net(5), the server side has the path. */
export async function connectionInodes(
  { files }: Pick<Host, 'files'>,
  pool: Pool,
): Promise<Set<string>> {
  const text = (await files.read('/proc/1/net/unix', MAX_BYTES)) ?? ''
  const path = ` ${socketOf(pool)}`
  const lines = text.split('\n').filter((line) => line.endsWith(path))
  const connected = lines.map((line) => /^\S+ \S+ \S+ \S+ \S+ 03 +(\d+) /.exec(line)?.[1])
  return new Set(connected.filter((inode) => inode !== undefined))
}
