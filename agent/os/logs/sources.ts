import type { Host, RunOptions } from '#agent/host/ports.ts'
import { debugLogOf } from '#agent/os/as-site/debug.ts'
import { asSite } from '#agent/os/as-site/run.ts'
import { serviceUnitOf } from '#agent/os/cron/files.ts'
import { isTimer, jobUnits } from '#agent/os/cron/own-files.ts'
import { recordOf } from '#agent/os/cron/recorder.ts'
import { MAIL_USER, mailPlaces } from '#agent/os/mail/places.ts'
import { docrootOf, homeOf, logsOf } from '#agent/os/site/paths.ts'
import type { LogSource } from '#shared/site-logs.ts'

/** The newest file of each log; the older ones are beside it. */
export function pathsOf({ settings }: Host, source: LogSource, user: string): string[] {
  const paths: Record<LogSource, string[]> = {
    access: [`${logsOf(user)}/access.log`],
    error: [`${logsOf(user)}/error.log`],
    php: [`${homeOf(user)}/logs/php-error.log`],
    // The second one is where a site writes that switched its log on by itself.
    wordpress: [debugLogOf(user), `${docrootOf(user)}/wp-content/debug.log`],
    cron: [],
    mail: [mailPlaces(settings.mail_dir).logOf(user)],
  }
  return paths[source]
}

const MEMORY_MB = 512
/** Of the reader of a log, which has the rights of whoever writes it, and no others. */
export function rightsOf({ settings }: Host, source: LogSource, user: string): RunOptions {
  if (source === 'access' || source === 'error') return { user: 'www-data' }
  if (source === 'mail') return { user: MAIL_USER }
  // What the jobs printed comes from the journal, and is handled with the rights of the site.
  const options = { network: false, memory: MEMORY_MB, home: source !== 'cron' }
  return asSite({ user }, { ...options, own_program: settings.program })
}

export const readerOf = ({ settings }: Host) => [...settings.program, 'logs']

/** Lines of the jobs of a site, oldest first. */
const MOST_JOB_LINES = 20_000

/** The program whose output is the log of jobs: those of WordPress, and those that the site has beside. */
export async function jobsProgram(host: Host, user: string): Promise<string[]> {
  if (host.init === 'direct') return ['cat', '--', recordOf(user)]
  const own = (await jobUnits(host, user)).filter((unit) => !isTimer(unit))
  const units = [serviceUnitOf(user), ...own].map((unit) => `_SYSTEMD_UNIT=${unit}`)
  const fields = '--output-fields=MESSAGE,PRIORITY'
  const shape = ['--quiet', '--no-pager', '--output=json', fields, `--lines=${MOST_JOB_LINES}`]
  return ['journalctl', ...shape, ...units]
}
