import type { Host } from '#agent/host/ports.ts'
import * as effects from '#agent/os/effects/effects.ts'
import { MARK_LINE, removeGenerated, replace } from '#agent/os/effects/generated.ts'
import { homeOf, logsOf } from '#agent/os/site/paths.ts'
import type { Site } from '#agent/os/site/sites.ts'
import type { Effect } from '#shared/plan.ts'
import {
  crontabOf,
  renderCrontab,
  renderService,
  renderTimer,
  servicePathOf,
  serviceUnitOf,
  TIMER_WANTS,
  timerPathOf,
  timerUnitOf,
  timerWantsOf,
} from './files.ts'

const logrotatePath = (user: string) => `/etc/logrotate.d/hosting-${user}`

/** WordPress's own jobs every five minutes, at a minute of the site's own, and log rotation. */
export async function apply(host: Host, site: Site): Promise<void> {
  const known = await host.files.stat(timerPathOf(site.user))
  for (const { path, text } of filesOf(host, site)) await replace(host, path, text)
  if (host.init === 'direct') return
  // The version before had the jobs run by cron(8).
  await removeGenerated(host, crontabOf(site.user))
  await host.files.mkdir(TIMER_WANTS)
  await host.files.link(timerPathOf(site.user), timerWantsOf(site.user))
  // systemd reads a unit that is new to it by itself.
  if (known) await host.shell.run(['systemctl', 'daemon-reload'])
  await host.shell.run(['systemctl', 'restart', timerUnitOf(site.user)])
}

/** What `apply` would do. */
export async function applying(host: Host, site: Site): Promise<Effect[]> {
  const generated = await effects.generating(host, filesOf(host, site))
  if (host.init === 'direct') return generated
  return [
    ...generated,
    ...(await effects.removing(host, 'file', crontabOf(site.user))),
    ...(await effects.making(host, 'folder', TIMER_WANTS)),
    ...(await effects.making(host, 'link', timerWantsOf(site.user))),
    effects.run('restart', timerUnitOf(site.user)),
  ]
}

function filesOf({ init }: Host, site: Site): { path: string; text: string }[] {
  const rotation = { path: logrotatePath(site.user), text: renderLogrotate(site.user) }
  if (init === 'direct')
    return [{ path: crontabOf(site.user), text: renderCrontab(site) }, rotation]
  return [
    { path: servicePathOf(site.user), text: renderService(site) },
    { path: timerPathOf(site.user), text: renderTimer(site) },
    rotation,
  ]
}

/** A run that goes on is ended, with all that it has started. */
export async function remove(host: Host, user: string): Promise<void> {
  if (await host.files.stat(timerPathOf(user))) {
    const units = [timerUnitOf(user), serviceUnitOf(user)]
    await host.shell.run(['systemctl', 'stop', ...units])
    await host.shell.try(['systemctl', 'reset-failed', ...units])
  }
  await host.files.remove(timerWantsOf(user))
  for (const path of generatedFor(user)) await removeGenerated(host, path)
}

/** What `remove` would do. */
export async function removing(host: Host, user: string): Promise<Effect[]> {
  return [
    ...(await effects.removing(host, 'link', timerWantsOf(user))),
    ...(await effects.removing(host, 'file', ...generatedFor(user))),
  ]
}

/** The timer last: as long as it is there, a removal that was cut off stops it. */
const generatedFor = (user: string) => [
  crontabOf(user),
  logrotatePath(user),
  servicePathOf(user),
  timerPathOf(user),
]

/** Each folder as the one who writes it: root must not follow what a site puts into its own. */
function renderLogrotate(user: string): string {
  const rules = ['weekly', 'maxsize 50M', 'rotate 8', 'compress', 'missingok', 'notifempty']
  const block = (path: string, more: string[]) =>
    `${path} {\n${[...rules, ...more].map((rule) => `    ${rule}`).join('\n')}\n}\n`
  return `# ${MARK_LINE}
${block(`${logsOf(user)}/*.log`, ['su root www-data', 'copytruncate'])}
${block(`${homeOf(user)}/logs/*.log`, [`su ${user} ${user}`, 'copytruncate'])}`
}
