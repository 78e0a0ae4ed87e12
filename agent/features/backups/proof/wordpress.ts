import { wpCliEnvironment } from '#agent/features/wordpress/wp-cli.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf, WP_CLI } from '#agent/kernel/site/paths.ts'
import { constantsOf, type Hidden, NO_MAIL, tryAsHidden } from './as-hidden.ts'

const LIMIT_MS = 5 * 60_000

/** Whether WordPress starts with all plugins and the theme, and finds its tables. */
export async function boots(host: Host, hidden: Hidden): Promise<boolean> {
  const { code } = await wpCli(host, hidden, ['core', 'is-installed'])
  return code === 0
}

/** Never throws for an exit status. */
export function wpCli(host: Host, hidden: Hidden, args: readonly string[]) {
  const { php, original } = hidden
  const options = ['memory_limit=512M', `sendmail_path=${NO_MAIL}`, 'display_errors=stderr']
  const argv = [`/usr/bin/php${php}`, ...options.flatMap((option) => ['-d', option]), WP_CLI]
  const where = [`--path=${docrootOf(original)}`, `--exec=${constantsOf(hidden)}`]
  return tryAsHidden(host, hidden, [...argv, ...where, ...args], {
    env: wpCliEnvironment({ user: original }),
    timeout_ms: LIMIT_MS,
  })
}
