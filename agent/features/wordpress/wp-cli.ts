import { sendmailPath } from '#agent/features/mail/sendmail.ts'
import type { Host, Output } from '#agent/kernel/host/ports.ts'
import { pinnedSteps } from '#agent/kernel/packages/pinned.ts'
import { tryAsSite } from '#agent/kernel/sandbox/run.ts'
import { stagingSettings, stagingVariables } from '#agent/kernel/sandbox/staging.ts'
import { docrootOf, homeOf, WP_CLI } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'

/** Returns the step that installs the wp-cli pinned by the settings; none if it is installed. */
export function wpCliSteps(host: Host): Promise<Step[]> {
  const { wp_cli_url, wp_cli_sha512: digest } = host.settings
  return pinnedSteps(host, {
    name: 'wp-cli',
    path: WP_CLI,
    mode: '0644',
    copy: 'wp-cli.phar',
    urls: [wp_cli_url],
    kind: 'sha512',
    digest,
  })
}

export const wpCliEnvironment = ({ user, staging }: Pick<Site, 'user' | 'staging'>) => ({
  ...stagingVariables({ staging }),
  WP_CLI_CACHE_DIR: `${homeOf(user)}/tmp/wp-cli`,
  WP_CLI_DISABLE_AUTO_CHECK_UPDATE: '1',
})

/** The part of a site that is needed to run its programs. */
export type RunnableSite = Pick<Site, 'user' | 'php' | 'staging'>

/** Runs wp-cli as the site's user, with its PHP, without access to other sites. */
export function runWpCli(
  host: Host,
  site: RunnableSite,
  args: readonly string[],
  input?: string,
): Promise<Output> {
  const { user, php } = site
  const mail = `sendmail_path=${sendmailPath({ user, php })}`
  const options = ['memory_limit=512M', mail, ...stagingSettings(site)]
  const argv = [`/usr/bin/php${php}`, ...options.flatMap((option) => ['-d', option]), WP_CLI]
  return tryAsSite(host, { user }, [...argv, `--path=${docrootOf(user)}`, ...args], {
    umask: 0o027,
    env: wpCliEnvironment(site),
    ...(input === undefined ? {} : { input }),
  })
}

/** Returns wp-cli's errors, which contain no password, unlike its output. */
export function complaintOf({ code, stderr }: Output): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  return lines.slice(-3).join(' | ').slice(0, 500) || `exit status ${code}`
}
