import type { Host } from '#agent/host/ports.ts'
import { timerPathOf, timerUnitOf } from '#agent/os/cron/files.ts'
import { type Change, declared } from '#agent/os/effects/change.ts'
import { run } from '#agent/os/effects/effects.ts'

/** Starts no new run of WordPress's jobs; a current one ends by itself. A reboot starts them again. */
export const holdJobs = (host: Host, user: string): Change => switched(host, user, 'stop')

export const releaseJobs = (host: Host, user: string): Change => switched(host, user, 'start')

/** A site that was deleted meanwhile has no timer any more. */
const switched = (host: Host, user: string, action: 'start' | 'stop'): Change =>
  declared([run(action === 'stop' ? 'stop' : 'restart', timerUnitOf(user))], async () => {
    if (!(await host.files.stat(timerPathOf(user)))) return
    await host.shell.run(['systemctl', action, timerUnitOf(user)])
  })
