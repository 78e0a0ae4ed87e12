import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { MAIL_USER, mailPathsIn } from '#agent/kernel/mail/paths.ts'
import { debugLogOf } from '#agent/kernel/sandbox/debug.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
import { formOf } from '#agent/kernel/services/index.ts'
import { docrootOf, homeOf, jobRunsOf, jobsLogOf, logsOf } from '#agent/kernel/site/paths.ts'
import type { LogSource } from '#shared/logs/site-logs.ts'

/** Returns the newest file of each log; older files stand beside it. */
export function pathsOf(host: Host, source: LogSource, user: string): string[] {
  const paths: Record<LogSource, string[]> = {
    access: [`${logsOf(user)}/access.log`],
    error: [`${logsOf(user)}/error.log`],
    php: [`${homeOf(user)}/logs/php-error.log`],
    // The second one is where a site writes that switched its log on by itself.
    wordpress: [debugLogOf(user), `${docrootOf(user)}/wp-content/debug.log`],
    cron: formOf(host, { systemd: [jobsLogOf(user)], direct: [] }),
    mail: [mailPathsIn(host.settings.mail_dir).logOf(user)],
  }
  return paths[source]
}

const MEMORY_MB = 512
/** Returns the options for the reader of a log, with the rights of its writer only. */
export function rightsOf(host: Host, source: LogSource, user: string): RunOptions {
  if (source === 'access' || source === 'error') return { user: 'www-data' }
  if (source === 'mail') return { user: MAIL_USER }
  const home = pathsOf(host, source, user).length > 0
  const options = { network: false, memory: MEMORY_MB, home }
  return asSite({ user }, { ...options, own_program: host.settings.program })
}

export const readerOf = ({ settings }: Host) => [...settings.program, 'logs']

/** Returns the program that prints the record of jobs; without systemd root gives it the text. */
export const recordProgram = (user: string) => ['cat', '--', jobRunsOf(user)]
