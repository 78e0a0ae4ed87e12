import { getSiteRoot } from '../os/find-docroot.ts'
import { readWpConfig } from '../os/site-root.ts'
import { scanWordpress } from '../os/wp-scan.ts'
import type { Command } from './command.ts'

export const wpScan: Command<'wp.scan'> = {
  lock: () => undefined,
  async plan({ domain }, host) {
    await getSiteRoot(host, domain)
    return []
  },
  async *run({ domain }, { host }) {
    const root = await getSiteRoot(host, domain)
    yield `Reading the WordPress of ${domain}`
    return scanWordpress(host, root, readWpConfig(root))
  },
}
