import type { Effect } from '#shared/plan.ts'
import type { Host } from '../host/ports.ts'
import { generating, removing as removingOf } from './effects.ts'
import { MARK_LINE, removeGenerated, replace } from './generated.ts'
import { docrootOf, homeOf, logsOf, WP_CLI } from './paths.ts'
import type { Site } from './sites.ts'

const EVERY = 5

const cronPath = (user: string) => `/etc/cron.d/hosting-${user}`
const logrotatePath = (user: string) => `/etc/logrotate.d/hosting-${user}`

/** WordPress's own jobs every five minutes, at a minute of the site's own, and log rotation. */
export async function apply(host: Host, site: Site): Promise<void> {
  for (const { path, text } of filesOf(site)) await replace(host, path, text)
}

/** What `apply` would do. */
export const applying = (host: Host, site: Site): Promise<Effect[]> =>
  generating(host, filesOf(site))

const filesOf = (site: Site) => [
  { path: cronPath(site.user), text: renderCron(site) },
  { path: logrotatePath(site.user), text: renderLogrotate(site.user) },
]

export async function remove(host: Host, user: string): Promise<void> {
  await removeGenerated(host, cronPath(user))
  await removeGenerated(host, logrotatePath(user))
}

/** What `remove` would do. */
export const removing = (host: Host, user: string): Promise<Effect[]> =>
  removingOf(host, 'file', cronPath(user), logrotatePath(user))

/** flock and timeout: a job that hangs neither piles up nor stays. */
function renderCron({ domain, user, php }: Site): string {
  const offset = [...domain].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % EVERY
  const lock = `/usr/bin/flock -n ${homeOf(user)}/tmp/cron.lock /usr/bin/timeout 240`
  const wp = `/usr/bin/php${php} -d memory_limit=512M ${WP_CLI} --path=${docrootOf(user)}`
  return `# ${MARK_LINE}
MAILTO=""
WP_CLI_CACHE_DIR=${homeOf(user)}/tmp/wp-cli
WP_CLI_DISABLE_AUTO_CHECK_UPDATE=1
${offset}-59/${EVERY} * * * * ${user} ${lock} ${wp} cron event run --due-now --quiet >/dev/null 2>&1
`
}

/** Each folder as the one who writes it: root must not follow what a site puts into its own. */
function renderLogrotate(user: string): string {
  const rules = ['weekly', 'maxsize 50M', 'rotate 8', 'compress', 'missingok', 'notifempty']
  const block = (path: string, more: string[]) =>
    `${path} {\n${[...rules, ...more].map((rule) => `    ${rule}`).join('\n')}\n}\n`
  return `# ${MARK_LINE}
${block(`${logsOf(user)}/*.log`, ['su root www-data', 'copytruncate'])}
${block(`${homeOf(user)}/logs/*.log`, [`su ${user} ${user}`, 'copytruncate'])}`
}
