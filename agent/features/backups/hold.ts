import { timerPathOf, timerUnitOf } from '#agent/features/jobs/cron/files.ts'
import { isTimer, jobUnits } from '#agent/features/jobs/cron/own-files.ts'
import { type Change, deferred, provided } from '#agent/kernel/effects/change.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { isFreezing } from '#agent/kernel/services/thaw.ts'
import { replacedOf } from './places.ts'

/** Starts no new run of the jobs of a site; a current one ends by itself. A reboot starts them again. */
export const holdJobs = (host: Host, user: string): Change => switched(host, user, 'stop')

export const releaseJobs = (host: Host, user: string): Change => switched(host, user, 'start')

/** Holds the jobs of a site for an operation that replaces its content. */
export const holdForReplacing = (host: Host, user: string): Change =>
  after(() => join(host, user, REPLACING), holdJobs(host, user))

/**
 * Releases the jobs of a site after its content was replaced, even while other operations read it:
 * these notice the replacement, and fail.
 */
export const releaseAfterReplacing = (host: Host, user: string): Change =>
  after(() => leave(host, user, REPLACING), releaseJobs(host, user))

const REPLACING = 'replacing'

/**
 * For an operation that only reads the site: nothing while another one that changes it holds the
 * jobs. `reader` tells those apart that read at the same time.
 */
export const holdForReading = (host: Host, user: string, reader: string): Change =>
  after(() => join(host, user, reader), unlessHeld(host, user, holdJobs(host, user)))

/** The last one that holds the jobs releases them, also if it fails. */
export const releaseAfterReading = (host: Host, user: string, reader: string): Change =>
  after(
    () => leave(host, user, reader),
    provided(
      async () => host.holders.get(user) === undefined,
      unlessHeld(host, user, releaseJobs(host, user)),
    ),
  )

const unlessHeld = (host: Host, user: string, jobs: Change): Change =>
  provided(
    async () => !(await host.files.stat(replacedOf(user))) && !(await isFreezing(host, user)),
    jobs,
  )

function join({ holders }: Host, user: string, holder: string): void {
  holders.set(user, (holders.get(user) ?? new Set()).add(holder))
}

/** After a restart of the agent there are none: all are undone. */
function leave({ holders }: Host, user: string, holder: string): void {
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

/** A site that was deleted meanwhile has no timer any more. */
const switched = (host: Host, user: string, action: 'start' | 'stop'): Change =>
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
