import {
  notApplicable,
  refused,
  type SceneAttack,
  succeeded,
} from '#agent/features/isolation/attack.ts'
import { readJob } from '#agent/features/isolation/job.ts'
import { runAsSite, tryAsSite } from '#agent/kernel/sandbox/run.ts'
import { propertiesOf, sliceOf } from '#agent/kernel/services/systemd.ts'
import { homeOf } from '#agent/kernel/site/paths.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'

const NO_SYSTEMD = 'systemd, which enforces the limits, is not running on this server'
const SETTLE_MS = 3000

/** Attacks on the limits of the jobs of a site. */
export const JOB_ATTACKS = {
  'job.limits': {
    severity: 'high',
    title: 'Run a job outside the limits of the site',
    meaning: 'A job of one site takes the memory of the server.',
    async attempt({ host, attacker }) {
      if (!isMet(NEEDS.jobs, host)) return notApplicable(NO_SYSTEMD)
      const { cgroup } = await readJob(host, attacker)
      const slice = sliceOf(attacker.user)
      if (!cgroup.includes(`/${slice}/`)) {
        const place = /^(?:0:|1:name=systemd):?(.*)$/m.exec(cgroup)?.[1] ?? cgroup.trim()
        return succeeded(`it ran in ${place.slice(0, 100)}`)
      }
      const units = await propertiesOf(host, [slice], ['MemoryMax', 'TasksMax'])
      const limits = Object.entries(units.get(slice) ?? {})
      const infinite = limits.flatMap(([name, value]) => (value === 'infinity' ? [name] : []))
      if (infinite.length === 0) return refused()
      return succeeded(`${infinite.join(', ')} of ${slice} is infinite`)
    },
  },
  'job.daemon': {
    severity: 'high',
    title: 'Leave a process running after a job',
    meaning: 'A site runs programs that nobody sees and nothing ends.',
    /** Writes a file twice a second: if a removed file reappears, the process still runs. */
    async attempt({ host, attacker }) {
      if (!isMet(NEEDS.jobs, host)) return notApplicable(NO_SYSTEMD)
      const alive = `${homeOf(attacker.user)}/tmp/alive`
      await host.clock.sleep(SETTLE_MS)
      await runAsSite(host, attacker, ['rm', '-f', '--', alive])
      await host.clock.sleep(SETTLE_MS)
      const { code } = await tryAsSite(host, attacker, ['test', '-e', alive], { network: false })
      return code === 0 ? succeeded('it kept running after the job had ended') : refused()
    },
  },
} as const satisfies Record<string, SceneAttack>
