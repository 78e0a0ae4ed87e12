import type { ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import type { Health } from '#shared/health/api/health.ts'
import { isDue } from '#shared/kernel/age.ts'

/** The age at which data of a server, which is read each minute, is outdated. */
export const FRESH_MS = 3 * 60_000

export interface HealthColumns
  extends Pick<
      SiteRow,
      'found' | 'status' | 'health' | 'health_code' | 'health_reason' | 'health_since'
    >,
    Pick<SiteRow, 'created_at'> {
  server_status: ServerRow['status']
  server_error: string
  last_sync: string | null
  metrics_at: string | null
}

const NO_HEALTH: Health = { health: null, health_code: '', health_reason: '', health_since: null }

/**
 * Returns the current health of a site: the last report of its agent, unless its server has not
 * answered since. A site that is not in use has no health, nor has a discovered one that its agent
 * does not check. `healthAt` computes the same in SQL.
 */
export function healthOf(row: HealthColumns, now: Date): Health {
  if (row.status !== 'active' || (row.found && row.health === null)) return NO_HEALTH
  const contact_at = latest(row.metrics_at, row.last_sync)
  const unknown = (health_code: string, health_reason: string, health_since: string | null) =>
    ({ health: 'unknown', health_code, health_reason, health_since }) as const
  if (row.server_status !== 'online') {
    const why = row.server_error.replace(/[\s.:]+$/, '')
    const reason = why === '' ? 'Its server is offline' : `Its server is offline: ${why}`
    return unknown('server_offline', reason, contact_at)
  }
  if (isDue(row.metrics_at, FRESH_MS, now))
    return unknown('no_contact', 'Its server has not answered for some minutes', contact_at)
  if (row.health === null)
    return unknown('not_checked', 'Its agent has not checked the site', row.created_at)
  const { health, health_code, health_reason, health_since } = row
  return { health, health_code, health_reason, health_since }
}

function latest(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one > other ? one : other
}
