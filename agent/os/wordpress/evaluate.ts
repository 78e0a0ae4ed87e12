import type { Host } from '#agent/host/ports.ts'
import { complaintOf, type Runnable, runWpCli } from './wp-cli.ts'

/** Runs PHP code without the site's plugins and theme, which may be broken; returns its output. */
export async function evaluate(
  host: Host,
  site: Runnable,
  code: string,
  problem: string,
): Promise<string> {
  const args = ['--skip-plugins', '--skip-themes', 'eval-file', '-']
  const output = await runWpCli(host, site, args, code)
  if (output.code !== 0) throw new Error(`${problem}: ${complaintOf(output)}`)
  return output.stdout
}
