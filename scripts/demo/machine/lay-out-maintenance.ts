import { SETTINGS } from '#agent/host/simulated/settings.ts'
import { renderUnattended, UNATTENDED_FILE } from '#agent/os/maintenance/unattended.ts'
import type { Role } from '#scripts/demo/fleet/plan.ts'
import { DAY_MS, HOUR_MS, stamp } from '#scripts/demo/time.ts'
import type { Maintenance, PendingPackage } from '#shared/maintenance.ts'
import type { Machine } from './machine.ts'

const of = (security: boolean, ...names: string[]): PendingPackage[] =>
  names.map((name) => ({ name, installed: '1.0-1', candidate: '1.0-2', security }))

/** Pending updates of a server, by its problem. */
const PENDING: Partial<Record<Role, PendingPackage[]>> = {
  full: of(true, 'libssl3t64', 'openssl'),
  legacy: [...of(true, 'libc6', 'libssl3', 'openssl', 'libxml2'), ...of(false, 'tzdata')],
}

/** The result of the agent's last check, two hours ago. */
export function layOutMaintenance(machine: Machine): void {
  const { disk, plan, time } = machine
  machine.pending = PENDING[plan.role] ?? []
  disk.putText('/usr/bin/unattended-upgrade', '')
  disk.putText('/var/lib/apt/lists/deb.debian.org_InRelease', '')
  if (plan.role !== 'legacy') disk.putText(UNATTENDED_FILE, renderUnattended(true))
  if (plan.role === 'legacy') disk.putText('/run/reboot-required', 'libc6\n')
  const maintenance = reportOf(machine, time.now())
  const kept = { maintenance, restarts: restartsOf(machine, time.now()), failed: {}, renewed: {} }
  disk.putText(`${SETTINGS.state_dir}/maintenance.json`, `${JSON.stringify(kept)}\n`, {
    mode: 0o600,
  })
}

function reportOf({ plan, pending }: Machine, now: number): Maintenance {
  const ago = (ms: number) => stamp(now - ms)
  const isLegacy = plan.role === 'legacy'
  return {
    checked_at: ago(2 * HOUR_MS),
    lists_at: ago(3 * HOUR_MS),
    packages: pending,
    packages_problem: '',
    reboot: { needed: isLegacy, reasons: isLegacy ? ['packages'] : [] },
    old_files: plan.role === 'full' ? [waiting(ago(DAY_MS))] : [],
    restarts: [],
    unattended: isLegacy
      ? { enabled: false, wanted: null, source: 'none', detail: '' }
      : { enabled: true, wanted: true, source: 'hosting-control', detail: '' },
    last_update: { at: ago(2 * DAY_MS), packages: ['php8.4-fpm', 'php8.4-cli', 'curl'] },
  }
}

const waiting = (since: string): Maintenance['old_files'][number] => ({
  name: 'mariadb',
  kind: 'service',
  domain: '',
  since,
  problem: 'A restart interrupts sites for some seconds: request it',
})

/** A web server that was killed for lack of memory, and restarted each time. */
function restartsOf({ plan }: Machine, now: number) {
  const moments = plan.role === 'failed' ? [{ name: 'nginx', at: now - HOUR_MS / 4, count: 3 }] : []
  return { counts: {}, moments }
}
