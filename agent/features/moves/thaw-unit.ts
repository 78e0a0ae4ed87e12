import { closable } from '#agent/features/access/closing.ts'
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
import { type Generated, MARK_LINE } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { UNITS, WANTS } from '#agent/kernel/services/systemd.ts'
import { isFreezing, thawTimerOf } from '#agent/kernel/services/thaw.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { unit } from '#shared/kernel/formats/systemd.ts'

/** The longest freeze of a site. */
const FREEZE_SECONDS = 300

type Frozen = Pick<Site, 'domain' | 'user' | 'jobs' | 'access' | 'clients'>

const thawServiceOf = (user: string) => `hosting-thaw@${user}.service`
const wantsOf = (user: string) => `${WANTS}/${thawServiceOf(user)}`

const timersOf = ({ user, jobs = [] }: Pick<Frozen, 'user' | 'jobs'>): string[] => [
  timerUnitOf(user),
  ...jobs.filter(({ enabled }) => enabled).map(({ name }) => jobTimerOf(user, name)),
]

/**
 * systemd ends a freeze, also if agent and dashboard do not run, and after a restart of the
 * server. The rename is first: without the file there is no freeze, and nothing else happens.
 */
const filesOf = (
  { domain, user, jobs }: Frozen,
  closed: Awaited<ReturnType<typeof closable>>,
): Generated[] => [
  {
    path: `${UNITS}/${thawServiceOf(user)}`,
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
    path: `${UNITS}/${thawTimerOf(user)}`,
    text: unit`# ${MARK_LINE}
[Unit]
Description=End of the freeze of ${domain}, at the latest

[Timer]
OnActiveSec=${FREEZE_SECONDS}
AccuracySec=1s
`,
  },
]

/** Before a freeze: its end. */
export const limitFreeze = (host: Host, site: Frozen): Change =>
  inOrder(
    deferred(async () => generated(host, filesOf(site, await closable(host, site)))),
    linked(host, `${UNITS}/${thawServiceOf(site.user)}`, wantsOf(site.user)),
    declared([run('restart', thawTimerOf(site.user))], async () => {
      await host.shell.run(['systemctl', 'daemon-reload'])
      await host.shell.run(['systemctl', 'restart', thawTimerOf(site.user)])
    }),
  )

/** Stops the timer, and waits for a service that is thawing right now. */
export async function stopThaw(host: Host, { user }: Frozen): Promise<void> {
  if (!(await isFreezing(host, user))) return
  await host.shell.try(['systemctl', 'stop', thawTimerOf(user)])
  await host.shell.try(['systemctl', 'stop', thawServiceOf(user)])
  await host.shell.try(['systemctl', 'reset-failed', thawServiceOf(user)])
}

/** After a freeze. */
export function forgetThaw(host: Host, site: Frozen): Change {
  const { user } = site
  const units = [thawServiceOf(user), thawTimerOf(user)].map((unit) => `${UNITS}/${unit}`)
  const all = inOrder(removed(host, 'link', wantsOf(user)), removedGenerated(host, ...units))
  return {
    effects: all.effects,
    async apply() {
      await stopThaw(host, site)
      await all.apply()
    },
  }
}
