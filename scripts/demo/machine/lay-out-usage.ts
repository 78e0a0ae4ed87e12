import { SETTINGS } from '#agent/host/simulated/settings.ts'
import { isServed } from '#scripts/demo/fleet/plan.ts'
import { HOUR_MS, stamp } from '#scripts/demo/time.ts'
import type { Machine } from './machine.ts'
import { filesIn } from './programs/files.ts'

/** The agent's measurement of each site two hours ago, equal to that of the programs. */
export function layOutUsage({ plan, time, disk, sizes, databases }: Machine): void {
  const measured_at = stamp(time.now() - 2 * HOUR_MS)
  const text = () => {
    const measured = plan.sites.filter(isServed).map(({ user }) => {
      const bytes = sizes.get(user) ?? 0
      const database_bytes = databases.get(user)?.bytes ?? 0
      return [user, { bytes, files: filesIn(bytes), database_bytes, measured_at }]
    })
    return `${JSON.stringify(Object.fromEntries(measured))}\n`
  }
  disk.putText(`${SETTINGS.state_dir}/usage.json`, text, { mode: 0o600 })
}
