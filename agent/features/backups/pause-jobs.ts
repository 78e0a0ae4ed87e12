import { timerPathOf, timerUnitOf } from '#agent/features/jobs/cron/files.ts'
import { isTimer, jobUnits } from '#agent/features/jobs/cron/own-files.ts'
import { type Change, deferred, provided } from '#agent/kernel/effects/change.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { isFreezing } from '#agent/kernel/services/unfreeze-timer.ts'
import { replacedOf } from './paths.ts'

/** Prevents new runs of the jobs of a site; a running one ends. A reboot starts them again. */
export const pauseJobs = (host: Host, user: string): Change => timersSwitched(host, user, 'stop')

export const resumeJobs = (host: Host, user: string): Change => timersSwitched(host, user, 'start')

/** Pauses the jobs of a site for an operation that replaces its content. */
export const pauseJobsForReplacing = (host: Host, user: string): Change =>
  after(() => addHolder(host, user, REPLACING), pauseJobs(host, user))

/** Resumes the jobs of a site after its content was replaced; running readers then fail. */
export const resumeJobsAfterReplacing = (host: Host, user: string): Change =>
  after(() => removeHolder(host, user, REPLACING), resumeJobs(host, user))

const REPLACING = 'replacing'

/** Pauses the jobs for an operation that reads the site; `reader` identifies concurrent ones. */
export const pauseJobsForReading = (host: Host, user: string, reader: string): Change =>
  after(
    () => addHolder(host, user, reader),
    unlessPausedElsewhere(host, user, pauseJobs(host, user)),
  )

/** Resumes the jobs when the last reader has ended. */
export const resumeJobsAfterReading = (host: Host, user: string, reader: string): Change =>
  after(
    () => removeHolder(host, user, reader),
    provided(
      async () => host.holders.get(user) === undefined,
      unlessPausedElsewhere(host, user, resumeJobs(host, user)),
    ),
  )

const unlessPausedElsewhere = (host: Host, user: string, jobs: Change): Change =>
  provided(
    async () => !(await host.files.stat(replacedOf(user))) && !(await isFreezing(host, user)),
    jobs,
  )

function addHolder({ holders }: Host, user: string, holder: string): void {
  holders.set(user, (holders.get(user) ?? new Set()).add(holder))
}

/** After a restart of the agent there are no holders: their operations are undone. */
function removeHolder({ holders }: Host, user: string, holder: string): void {
  const present = holders.get(user)
  present?.delete(holder)
  if (present?.size === 0) holders.delete(user)
}

const after = (note: () => void, { effects, apply }: Change): Change => ({
  effects,
  async apply() {
    note()
    await apply()
  },
})

/** Does nothing for a site that was deleted meanwhile: it has no timer. */
const timersSwitched = (host: Host, user: string, action: 'start' | 'stop'): Change =>
  deferred(async () => {
    const units = await timersOf(host, user)
    return provided(async () => units.length > 0, {
      effects: async () => units.map((unit) => run(action === 'stop' ? 'stop' : 'restart', unit)),
      apply: async () => void (await host.shell.run(['systemctl', action, ...units])),
    })
  })

async function timersOf(host: Host, user: string): Promise<string[]> {
  const own = (await jobUnits(host, user)).filter(isTimer)
  return (await host.files.stat(timerPathOf(user))) ? [timerUnitOf(user), ...own] : own
}
