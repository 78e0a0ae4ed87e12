import {
  type Change,
  deferred,
  folder,
  generated,
  inOrder,
  linked,
  provided,
  removed,
  removedGenerated,
} from '#agent/kernel/effects/change.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { UNITS } from '#agent/kernel/services/systemd.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'
import { TIMER_WANTS } from './files.ts'
import { JOB_PROGRAM_FILES, JOB_PROGRAMS } from './job-runner.ts'
import { isTimer, jobFiles, jobUnits, pathOfUnit, wantsOfUnit } from './own-files.ts'

type OwnJobsSite = Pick<Site, 'user' | 'php' | 'staging' | 'jobs'>

/** Applies the cron jobs of the record; removed ones are stopped. */
export const applyOwnJobs = (host: Host, site: OwnJobsSite): Change =>
  deferred(async () => {
    const jobs = isMet(NEEDS.jobs, host) ? (site.jobs ?? []) : []
    const files = jobs.flatMap((job) => jobFiles(site, job))
    const units = new Set(files.map(({ path }) => path.slice(UNITS.length + 1)))
    const former = (await jobUnits(host, site.user)).filter((unit) => !units.has(unit))
    const timers = [...units].filter(isTimer)
    if (jobs.length === 0) return withoutUnits(host, former)
    const written = inOrder(
      folder(host, JOB_PROGRAMS),
      generated(host, [...JOB_PROGRAM_FILES, ...files]),
      folder(host, TIMER_WANTS),
      ...timers.map((unit) => linked(host, pathOfUnit(unit), wantsOfUnit(unit))),
    )
    return inOrder(withoutUnits(host, former), withTimersStarted(host, written, timers))
  })

/** Reloads systemd and starts inactive timers. */
const withTimersStarted = (host: Host, written: Change, timers: readonly string[]): Change => ({
  effects: async () => [
    ...(await written.effects()),
    ...timers.map((unit) => run('restart', unit)),
  ],
  async apply() {
    await written.apply()
    await host.shell.run(['systemctl', 'daemon-reload'])
    if (timers.length > 0) await host.shell.run(['systemctl', 'restart', ...timers])
  },
})

/** Removes the cron jobs, and ends current runs with their child processes. */
export const removeOwnJobs = (host: Host, user: string): Change =>
  deferred(async () => withoutUnits(host, await jobUnits(host, user)))

function withoutUnits(host: Host, units: readonly string[]): Change {
  // Stops timers first, which start services, and removes files last, for a repetition.
  const stopped = [...units].sort((a, b) => Number(isTimer(b)) - Number(isTimer(a)))
  const all = inOrder(
    ...units.filter(isTimer).map((unit) => removed(host, 'link', wantsOfUnit(unit))),
    removedGenerated(host, ...units.map(pathOfUnit)),
  )
  return provided(async () => units.length > 0, {
    effects: all.effects,
    async apply() {
      await host.shell.run(['systemctl', 'stop', ...stopped])
      await host.shell.try(['systemctl', 'reset-failed', ...stopped])
      await all.apply()
      await host.shell.run(['systemctl', 'daemon-reload'])
    },
  })
}
