import { ATTACKS } from '#agent/os/isolation/attacks/index.ts'
import type { isolation_checks } from '#dashboard/db/schema.ts'
import type { Fleet } from '#scripts/demo/fleet/fleet.ts'
import type { ServerPlan } from '#scripts/demo/fleet/plan.ts'
import { WEAKNESS } from '#scripts/demo/machine/canary.ts'
import type { IsolationResult } from '#shared/isolation.ts'

type NewCheck = typeof isolation_checks.$inferInsert

const HOUR_MS = 3_600_000

/** The weekly check of each server that has sites, some days ago. */
export function isolationRows({ plan: { servers } }: Fleet, now: number): NewCheck[] {
  return servers.flatMap((server, at) => {
    if (server.role === 'pending' || server.sites.length === 0) return []
    const checked_at = new Date(now - (20 + ((at * 31) % 120)) * HOUR_MS).toISOString()
    return [{ server_id: at + 1, checked_at, results: resultsOf(server) }]
  })
}

function resultsOf({ role }: ServerPlan): IsolationResult[] {
  return Object.entries(ATTACKS).map(([id, { title }]) =>
    role === 'legacy' && id === WEAKNESS.id
      ? { id, title, ...WEAKNESS.verdict }
      : { id, title, outcome: 'refused', detail: '' },
  )
}
