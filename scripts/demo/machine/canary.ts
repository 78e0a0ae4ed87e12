import { INSIDE_ATTACKS } from '#agent/features/isolation/attacks/index.ts'
import { CRON_ANSWER, SHELL_ANSWER } from '#agent/features/isolation/entry-scripts.ts'
import { sliceOf } from '#agent/kernel/services/systemd.ts'
import type { Machine } from './machine.ts'

const ABOUT = { pid: 71, ppid: 70, prefix: 'wp_' }
const REFUSED = { outcome: 'refused', detail: '' }
/** The weakness is the attacks of a site that succeed on a server with an old agent. */
export const WEAKNESS = {
  id: 'process.view',
  verdict: { outcome: 'succeeded', detail: 'saw 22 processes of others' },
} as const

/** Returns the answer of a temporary site's script to an attack, without PHP. */
export function canaryAnswer(machine: Machine, user: string, action: string | null): string {
  const { disk } = machine
  const home = `/srv/www/${user}`
  if (action === 'show') {
    disk.putText(`/proc/${ABOUT.ppid}/status`, 'Name:\tphp-fpm\nUid:\t1001\t1001\t1001\t1001\n')
    return JSON.stringify(ABOUT)
  }
  if (action === 'try') return JSON.stringify(verdictsOn(machine))
  if (action === 'folders') return '20000'
  if (action === 'lock') disk.putText(`${home}/tmp/locked`, 'x')
  if (action === 'schedule') disk.putText(`${home}/tmp/isolation.json`, jobOf(machine, user))
  return '[]'
}

/** Returns the same from its cron job. */
export const canaryJob = (machine: Machine, user: string) => answered(machine, user, CRON_ANSWER)

/** Returns the same from a shell of it. */
export const canaryShell = (machine: Machine, user: string) => answered(machine, user, SHELL_ANSWER)

function answered(machine: Machine, user: string, path: string): void {
  machine.disk.putText(`/srv/www/${user}/${path}`, JSON.stringify(verdictsOn(machine)))
}

function jobOf(machine: Machine, user: string): string {
  const cgroup = `0::/hosting.slice/${sliceOf(user)}/job.service\n`
  return JSON.stringify({ verdicts: verdictsOn(machine), cgroup })
}

function verdictsOn({ plan }: Machine) {
  const all = Object.fromEntries([...INSIDE_ATTACKS.keys()].map((id) => [id, REFUSED]))
  return plan.role === 'legacy' ? { ...all, [WEAKNESS.id]: WEAKNESS.verdict } : all
}
