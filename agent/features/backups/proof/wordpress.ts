import { wpCliEnvironment } from '#agent/features/wordpress/wp-cli.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf, WP_CLI } from '#agent/kernel/site/paths.ts'
import { constantsOf, type HiddenSite, NO_MAIL, tryAsHiddenSite } from './run-as-hidden-site.ts'

const LIMIT_MS = 5 * 60_000

/** Returns whether WordPress starts with all plugins and the theme, and finds its tables. */
export async function startsWordPress(host: Host, hidden: HiddenSite): Promise<boolean> {
  const { code } = await wpCli(host, hidden, ['core', 'is-installed'])
  return code === 0
}

export function wpCli(host: Host, hidden: HiddenSite, args: readonly string[]) {
  const { php, original } = hidden
  const options = ['memory_limit=512M', `sendmail_path=${NO_MAIL}`, 'display_errors=stderr']
  const argv = [`/usr/bin/php${php}`, ...options.flatMap((option) => ['-d', option]), WP_CLI]
  const where = [`--path=${docrootOf(original)}`, `--exec=${constantsOf(hidden)}`]
  return tryAsHiddenSite(host, hidden, [...argv, ...where, ...args], {
    env: wpCliEnvironment({ user: original }),
    timeout_ms: LIMIT_MS,
  })
}
