import type { servers } from '#dashboard/kernel/db/schema.ts'
import type { Fleet, Member } from '#scripts/demo/fleet/fleet.ts'
import { isOffline, type ServerPlan } from '#scripts/demo/fleet/plan.ts'
import { DAY_MS, HOUR_MS, stamp } from '#scripts/demo/time.ts'

type NewServer = typeof servers.$inferInsert & { id: number }

const PORT = 8443
/** The time since a pending server was added. */
export const ADDED_MS = 240_000
/** The time since the last answer of the offline servers. */
const OFFLINE_MS: Partial<Record<ServerPlan['role'], number>> = {
  offline: 3.2 * HOUR_MS,
  flaky: 21 * 60_000,
}

/** Returns the dashboard's data about each server; the agent reports the rest. */
export function serverRows(fleet: Fleet, now: number): Promise<NewServer[]> {
  return Promise.all(fleet.members.map((member, at) => rowOf(member, at + 1, now)))
}

async function rowOf(member: Member, id: number, now: number): Promise<NewServer> {
  const { plan, agent } = member
  const { name, hostname, tags, age, role, php } = plan
  const base = { id, name, hostname, port: PORT, user: 'root', tags }
  if (role === 'pending') return { ...base, created_at: stamp(now - ADDED_MS) }
  const metrics = await agent.ask('GET /metrics', {})
  const { services } = await agent.ask('GET /services', {})
  return {
    ...base,
    ...{ created_at: stamp(now - age * DAY_MS), php_versions: [...php].sort() },
    ...{ metrics, services, os: metrics.os, version: metrics.version },
    ...contactOf(plan, now),
  }
}

/** Returns the last contact with its agent. */
export const lastContact = ({ role }: ServerPlan, now: number): number =>
  now - (OFFLINE_MS[role] ?? 30_000)

function contactOf(plan: ServerPlan, now: number) {
  const last_sync = stamp(lastContact(plan, now))
  const contact = { last_sync, metrics_at: last_sync }
  if (!isOffline(plan)) return { ...contact, status: 'online' as const }
  return {
    ...{ ...contact, status: 'offline' as const, failures: plan.role === 'offline' ? 190 : 20 },
    last_error: `The agent on ${plan.hostname}:${PORT} refused the connection`,
  }
}
