import type { Host } from '#agent/kernel/host/ports.ts'
import { wordpressFailure } from './failure.ts'
import { type RunnableSite, runWpCli } from './wp-cli.ts'

/**
 * Runs PHP code without the site's plugins and theme, which may be broken; returns its output. Throws
 * conflict with `wordpress_fatal` if WordPress stops all the same: its own files, must-use plugins and
 * drop-ins are always loaded.
 */
export async function evaluate(
  host: Host,
  site: RunnableSite,
  code: string,
  problem: string,
): Promise<string> {
  const args = ['--skip-plugins', '--skip-themes', 'eval-file', '-']
  const output = await runWpCli(host, site, args, code)
  if (output.code !== 0) throw wordpressFailure(site, output, problem)
  return output.stdout
}
