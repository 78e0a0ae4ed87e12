import type { servers } from '#dashboard/db/schema.ts'
import type { Fleet, Member } from '#scripts/demo/fleet/fleet.ts'
import type { ServerPlan } from '#scripts/demo/fleet/plan.ts'

type NewServer = typeof servers.$inferInsert & { id: number }

const DAY_MS = 86_400_000
const PORT = 8443
/** The time since the last answer of the offline servers. */
const AWAY_MS = { offline: 3 * 3_600_000 + 12 * 60_000, flaky: 21 * 60_000 }

/** The dashboard's data about each server; the agent reports the rest. */
export function serverRows(fleet: Fleet, now: number): Promise<NewServer[]> {
  return Promise.all(fleet.members.map((member, at) => rowOf(member, at + 1, now)))
}

async function rowOf(member: Member, id: number, now: number): Promise<NewServer> {
  const { name, hostname, tags, age, role } = member.plan
  const created_at = new Date(now - age * DAY_MS).toISOString()
  const base = { id, name, hostname, port: PORT, user: 'root', tags, created_at }
  if (role === 'pending') return { ...base, created_at: new Date(now - 240_000).toISOString() }
  const { metrics, services } = await readingOf(member)
  return {
    ...base,
    ...{ metrics, services, os: metrics.os, version: metrics.version },
    php_versions: [...member.plan.php].sort(),
    ...contactOf(member, now),
  }
}

async function readingOf({ agent: { readings } }: Member) {
  return { metrics: await readings.metrics(), services: await readings.services() }
}

/** The last contact with its agent. */
export function lastContact({ role }: ServerPlan, now: number): number {
  return now - (role === 'offline' || role === 'flaky' ? AWAY_MS[role] : 30_000)
}

function contactOf({ plan }: Member, now: number) {
  const { role, hostname } = plan
  const last_sync = new Date(lastContact(plan, now)).toISOString()
  const heard = { last_sync, metrics_at: last_sync }
  if (role !== 'offline' && role !== 'flaky') return { ...heard, status: 'online' as const }
  return {
    ...heard,
    status: 'offline' as const,
    failures: role === 'offline' ? 190 : 20,
    last_error: `The agent on ${hostname}:${PORT} refused the connection`,
  }
}
