import type { Host } from '#agent/host/ports.ts'
import {
  type Change,
  folder,
  generated,
  inOrder,
  linked,
  removed,
  removedGenerated,
} from '#agent/os/effects/change.ts'
import { run } from '#agent/os/effects/effects.ts'
import { type Generated, MARK_LINE } from '#agent/os/effects/generated.ts'
import { homeOf, logsOf } from '#agent/os/site/paths.ts'
import type { Site } from '#agent/os/site/sites.ts'
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
export function schedule(host: Host, site: Site): Change {
  const { user } = site
  const files = generated(host, filesOf(host, site))
  if (host.init === 'direct') return files
  const all = inOrder(
    files,
    // cron(8) ran the jobs of the previous version.
    removedGenerated(host, crontabOf(user)),
    folder(host, TIMER_WANTS),
    linked(host, timerPathOf(user), timerWantsOf(user)),
  )
  return {
    effects: async () => [...(await all.effects()), run('restart', timerUnitOf(user))],
    async apply() {
      const known = await host.files.stat(timerPathOf(user))
      await all.apply()
      // systemd reads a unit that is new to it by itself.
      if (known) await host.shell.run(['systemctl', 'daemon-reload'])
      await host.shell.run(['systemctl', 'restart', timerUnitOf(user)])
    },
  }
}

function filesOf({ init }: Host, site: Site): Generated[] {
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
export function unschedule(host: Host, user: string): Change {
  const all = inOrder(
    removed(host, 'link', timerWantsOf(user)),
    removedGenerated(host, ...generatedFor(user)),
  )
  return {
    effects: all.effects,
    async apply() {
      if (await host.files.stat(timerPathOf(user))) {
        const units = [timerUnitOf(user), serviceUnitOf(user)]
        await host.shell.run(['systemctl', 'stop', ...units])
        await host.shell.try(['systemctl', 'reset-failed', ...units])
      }
      await all.apply()
    },
  }
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
