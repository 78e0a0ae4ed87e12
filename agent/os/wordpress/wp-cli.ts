import type { Host, Output } from '#agent/host/ports.ts'
import { tryAsSite } from '#agent/os/as-site/run.ts'
import * as effects from '#agent/os/effects/effects.ts'
import { sendmailPath } from '#agent/os/mail/sendmail.ts'
import { docrootOf, homeOf, LIBRARY, WP_CLI } from '#agent/os/site/paths.ts'
import type { Site } from '#agent/os/site/sites.ts'
import type { Step } from '#agent/steps/command.ts'
import type { Effect } from '#shared/plan.ts'

const DIGEST = `${WP_CLI}.sha512`

/** The step that installs the wp-cli pinned by the settings; none if it is installed. */
export async function wpCliSteps(host: Host): Promise<Step[]> {
  const isPinned = (await host.files.read(DIGEST)) === host.settings.wp_cli_sha512
  if (isPinned && (await host.files.stat(WP_CLI))) return []
  const apply = () => provideWpCli(host)
  return [{ name: 'wp-cli', title: 'Downloading wp-cli', effects: () => planProvide(host), apply }]
}

async function planProvide(host: Host): Promise<Effect[]> {
  return [
    effects.run('download', host.settings.wp_cli_url),
    ...(await effects.planMake(host, 'folder', LIBRARY)),
    await effects.planPut(host, WP_CLI),
    ...effects.planWrite(DIGEST, await host.files.read(DIGEST), host.settings.wp_cli_sha512),
  ]
}

async function provideWpCli(host: Host): Promise<void> {
  const { wp_cli_url, wp_cli_sha512, state_dir } = host.settings
  const kept = `${state_dir}/cache/wp-cli.phar`
  const problems: string[] = []
  const copy = (await host.files.stat(kept)) ? [`file://${kept}`] : []
  for (const url of [...copy, wp_cli_url]) {
    const problem = await host.exclusive('wp-cli', () => tryFrom(host, url, wp_cli_sha512))
    if (problem === undefined) return
    problems.push(problem)
  }
  throw new Error(`wp-cli is not available (${problems.join('; ')}): put a copy at ${kept}`)
}

export const wpCliEnvironment = (user: string) => ({
  WP_CLI_CACHE_DIR: `${homeOf(user)}/tmp/wp-cli`,
  WP_CLI_DISABLE_AUTO_CHECK_UPDATE: '1',
})

/** Runs wp-cli as the site's user, with its PHP, without access to other sites. */
export function runWpCli(
  host: Host,
  { user, php }: Pick<Site, 'user' | 'php'>,
  args: readonly string[],
  input?: string,
): Promise<Output> {
  const options = ['memory_limit=512M', `sendmail_path=${sendmailPath({ user, php })}`]
  const argv = [`/usr/bin/php${php}`, ...options.flatMap((option) => ['-d', option]), WP_CLI]
  return tryAsSite(host, { user }, [...argv, `--path=${docrootOf(user)}`, ...args], {
    umask: 0o027,
    env: wpCliEnvironment(user),
    ...(input === undefined ? {} : { input }),
  })
}

/** wp-cli's errors: its output may contain a password, its errors do not. */
export function complaintOf({ code, stderr }: Output): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  return lines.slice(-3).join(' | ').slice(0, 500) || `exit status ${code}`
}

async function tryFrom(host: Host, url: string, expected: string): Promise<string | undefined> {
  const draft = `${LIBRARY}/.wp-cli.phar`
  try {
    await host.files.mkdir(LIBRARY, { mode: 0o755 })
    const digest = await host.net.download(url, draft, 'sha512')
    if (digest !== expected) throw new Error(`${url} is not the expected file`)
    await host.shell.run(['chmod', '0644', draft])
    await host.files.rename(draft, WP_CLI)
    await host.files.write(DIGEST, expected)
    return undefined
  } catch (error) {
    await host.files.remove(draft)
    return error instanceof Error ? error.message : String(error)
  }
}
