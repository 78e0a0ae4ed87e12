import type { Host } from '#agent/kernel/host/ports.ts'
import { type Pool, socketOf } from './fpm-files.ts'

/** Longer requests delay a restart. */
const LONG_MS = 2000
/** Some sites always have one: then those requests have only the ten seconds of a restart. */
const LATEST_MS = 5 * 60_000
const MOST = 16 << 20

/**
 * Returns at a moment without long requests: a restart waits for running requests, and new ones
 * wait for the restart. Each connection of nginx to a PHP-FPM is one request.
 */
export async function untilQuiet(host: Host, pool: Pool): Promise<void> {
  const end = host.clock.elapsed() + LATEST_MS
  let before = await connections(host, pool)
  while (before.size > 0 && host.clock.elapsed() < end) {
    await host.clock.sleep(LONG_MS)
    const now = await connections(host, pool)
    if (now.isDisjointFrom(before)) return
    before = now
  }
}

/** The inodes of its connections: in proc_net(5), the server side has the path. */
export async function connections(
  { files }: Pick<Host, 'files'>,
  pool: Pool,
): Promise<Set<string>> {
  const text = (await files.read('/proc/1/net/unix', MOST)) ?? ''
  const path = ` ${socketOf(pool)}`
  const lines = text.split('\n').filter((line) => line.endsWith(path))
  const connected = lines.map((line) => /^\S+ \S+ \S+ \S+ \S+ 03 +(\d+) /.exec(line)?.[1])
  return new Set(connected.filter((inode) => inode !== undefined))
}
