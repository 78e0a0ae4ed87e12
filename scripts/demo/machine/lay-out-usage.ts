import { SETTINGS } from '#agent/host/simulated/settings.ts'
import type { SitePlan } from '#scripts/demo/fleet/plan.ts'
import type { Machine } from './machine.ts'
import { filesIn } from './programs/files.ts'

const HOUR_MS = 3_600_000

/** The agent's measurement of each site two hours ago, equal to that of the programs. */
export function layOutUsage(machine: Machine): void {
  const measured_at = new Date(machine.time.now() - 2 * HOUR_MS).toISOString()
  const text = () => {
    const served = machine.plan.sites.filter(({ place, managed }) => managed && place === 'served')
    const measured = served.map((site) => [site.user, { ...usageOf(machine, site), measured_at }])
    return `${JSON.stringify(Object.fromEntries(measured))}\n`
  }
  machine.disk.putText(`${SETTINGS.state_dir}/usage.json`, text, { mode: 0o600 })
}

function usageOf({ sizes, databases }: Machine, { user }: SitePlan) {
  const bytes = sizes.get(user) ?? 0
  return { bytes, files: filesIn(bytes), database_bytes: databases.get(user)?.bytes ?? 0 }
}
