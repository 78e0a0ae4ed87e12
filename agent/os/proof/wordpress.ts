import { z } from 'zod'
import type { Host } from '#agent/host/ports.ts'
import { docrootOf, WP_CLI } from '#agent/os/site/paths.ts'
import { coreFolder } from '#agent/os/wordpress/core.ts'
import { wpCliEnvironment } from '#agent/os/wordpress/wp-cli.ts'
import type { ProofReport } from '#shared/proof.ts'
import { constantsOf, type Hidden, NO_MAIL, tryAsHidden } from './as-hidden.ts'

const LIMIT_MS = 5 * 60_000

/** Whether WordPress starts with all plugins and the theme, and finds its tables. */
export async function boots(host: Host, hidden: Hidden): Promise<boolean> {
  const { code } = await wpCli(host, hidden, ['core', 'is-installed'])
  return code === 0
}

const Version = z.string().regex(/^\d[\w.-]{0,31}$/)

/** Compared with the server's own copy of the same version; the languages of a version differ. */
export async function checkCore(
  host: Host,
  hidden: Hidden,
): Promise<{ core: ProofReport['core']; differing: number }> {
  const { stdout } = await wpCli(host, hidden, ['core', 'version'])
  const version = Version.safeParse(stdout.trim()).data
  const core = version && (await coreFolder(host, version))
  if (!core) return { core: 'unchecked', differing: 0 }
  const excluded = EXCLUDED.map((name) => `--exclude=${name}`)
  const folders = [core, docrootOf(hidden.original)]
  const argv = ['diff', '--brief', '--recursive', '--no-dereference', ...excluded, '--', ...folders]
  const output = await tryAsHidden(host, hidden, argv, { reads: [core], timeout_ms: LIMIT_MS })
  if (output.code > 1) return { core: 'unchecked', differing: 0 }
  const differing = output.stdout.split('\n').filter((line) => isChange(line, core)).length
  return { core: differing > 0 ? 'differs' : 'same', differing }
}

/** What a site may change, and what differs between languages. */
const EXCLUDED = [
  ...['wp-content', 'wp-config-sample.php', 'version.php'],
  ...['readme.html', 'license.txt', 'liesmich.html', '.htaccess', '.user.ini'],
]

/** A file that is changed or missing; other files beside those of WordPress are no change. */
const isChange = (line: string, core: string) =>
  line.startsWith('Files ') || line.startsWith(`Only in ${core}`)

function wpCli(host: Host, hidden: Hidden, args: readonly string[]) {
  const { php, original } = hidden
  const options = ['memory_limit=512M', `sendmail_path=${NO_MAIL}`, 'display_errors=stderr']
  const argv = [`/usr/bin/php${php}`, ...options.flatMap((option) => ['-d', option]), WP_CLI]
  const where = [`--path=${docrootOf(original)}`, `--exec=${constantsOf(hidden)}`]
  return tryAsHidden(host, hidden, [...argv, ...where, ...args], {
    env: wpCliEnvironment({ user: original }),
    timeout_ms: LIMIT_MS,
  })
}
