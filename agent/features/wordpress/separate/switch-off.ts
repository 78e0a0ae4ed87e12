import { complaintOf, type RunnableSite, runWpCli } from '#agent/features/wordpress/wp-cli.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { switchOffProgram } from './switch-off-program.ts'

const MAX_LINES = 50

/**
 * Switches off, in the database of a staging site, what would act for the live one: payments, mail
 * services, connected accounts and search engines. Runs as the site, without its plugins. Returns
 * what was switched off.
 */
export async function switchOffServices(host: Host, site: RunnableSite): Promise<string[]> {
  const args = ['--skip-plugins', '--skip-themes', 'eval-file', '-']
  const output = await runWpCli(host, site, args, switchOffProgram())
  if (output.code !== 0) {
    throw new Error(`The staging site could not be separated: ${complaintOf(output)}`)
  }
  const lines = output.stdout.split('\n').filter((line) => line !== '')
  return [...new Set(lines.map((line) => line.slice(0, 100)))].slice(0, MAX_LINES)
}
