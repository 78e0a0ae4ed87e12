import { openAccountDates } from '#agent/features/access/login-closing.ts'
import { timerUnitOf } from '#agent/features/jobs/cron/files.ts'
import { jobTimerOf } from '#agent/features/jobs/cron/own-files.ts'
import { availablePath, servingPathOf } from '#agent/features/web/vhost-files.ts'
import {
  type Change,
  declared,
  deferred,
  generated,
  inOrder,
  linked,
  removed,
  removedGenerated,
} from '#agent/kernel/effects/change.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import { type GeneratedFile, MARK_LINE } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { UNITS, WANTS } from '#agent/kernel/services/systemd.ts'
import { isFreezing, unfreezeTimerOf } from '#agent/kernel/services/unfreeze-timer.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { unit } from '#shared/kernel/formats/systemd.ts'

/** The maximum duration of a freeze. */
const MAX_FREEZE_SECONDS = 300

type FrozenSite = Pick<Site, 'domain' | 'user' | 'jobs' | 'access' | 'clients'>

const unfreezeServiceOf = (user: string) => `hosting-thaw@${user}.service`
const wantsOf = (user: string) => `${WANTS}/${unfreezeServiceOf(user)}`

const timersOf = ({ user, jobs = [] }: Pick<FrozenSite, 'user' | 'jobs'>): string[] => [
  timerUnitOf(user),
  ...jobs.filter(({ enabled }) => enabled).map(({ name }) => jobTimerOf(user, name)),
]

/**
 * Returns the units with which systemd ends a freeze, also while agent and dashboard do not run,
 * and after a restart of the server. The rename comes first: without the file there is no freeze,
 * and nothing else happens.
 */
const filesOf = (
  { domain, user, jobs }: FrozenSite,
  closed: Awaited<ReturnType<typeof openAccountDates>>,
): GeneratedFile[] => [
  {
    path: `${UNITS}/${unfreezeServiceOf(user)}`,
    text: unit`# ${MARK_LINE}
[Unit]
Description=End of the freeze of ${domain}
DefaultDependencies=no
After=local-fs.target
Before=nginx.service

[Service]
Type=oneshot
ExecStart=/usr/bin/mv --force ${servingPathOf(domain)} ${availablePath(domain)}
ExecStart=-/usr/bin/systemctl --no-block reload nginx.service
ExecStart=-/usr/bin/systemctl --no-block start ${timersOf({ user, jobs })}
${closed.map(([account, date]) => unit`ExecStart=-/usr/bin/chage --expiredate=${date || unit.part`-1`} ${account}\n`).join('')}`,
  },
  {
    path: `${UNITS}/${unfreezeTimerOf(user)}`,
    text: unit`# ${MARK_LINE}
[Unit]
Description=End of the freeze of ${domain}, at the latest

[Timer]
OnActiveSec=${MAX_FREEZE_SECONDS}
AccuracySec=1s
`,
  },
]

/** Starts the timer that ends a freeze, before the freeze. */
export const unfreezeTimerStarted = (host: Host, site: FrozenSite): Change =>
  inOrder(
    deferred(async () => generated(host, filesOf(site, await openAccountDates(host, site)))),
    linked(host, `${UNITS}/${unfreezeServiceOf(site.user)}`, wantsOf(site.user)),
    declared([run('restart', unfreezeTimerOf(site.user))], async () => {
      await host.shell.run(['systemctl', 'daemon-reload'])
      await host.shell.run(['systemctl', 'restart', unfreezeTimerOf(site.user)])
    }),
  )

/** Stops the timer, and waits for a service that is ending the freeze. */
export async function stopUnfreezeTimer(host: Host, { user }: FrozenSite): Promise<void> {
  if (!(await isFreezing(host, user))) return
  await host.shell.try(['systemctl', 'stop', unfreezeTimerOf(user)])
  await host.shell.try(['systemctl', 'stop', unfreezeServiceOf(user)])
  await host.shell.try(['systemctl', 'reset-failed', unfreezeServiceOf(user)])
}

/** Removes the units after a freeze. */
export function unfreezeTimerRemoved(host: Host, site: FrozenSite): Change {
  const { user } = site
  const units = [unfreezeServiceOf(user), unfreezeTimerOf(user)].map((unit) => `${UNITS}/${unit}`)
  const all = inOrder(removed(host, 'link', wantsOf(user)), removedGenerated(host, ...units))
  return {
    effects: all.effects,
    async apply() {
      await stopUnfreezeTimer(host, site)
      await all.apply()
    },
  }
}
