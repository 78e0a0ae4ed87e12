import { SETTINGS } from '#agent/kernel/host/simulated/settings.ts'
import { TrustedDashboard } from '#agent/kernel/trust/trusted-dashboard.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import type { servers } from '#dashboard/kernel/db/schema.ts'
import { server_agents } from '#dashboard/kernel/db/trust-schema.ts'
import { findCurrentKey } from '#dashboard/kernel/trust/keys/queries.ts'
import type { AgentRow } from '#dashboard/kernel/trust/queries.ts'
import type { Fleet, Member } from '#scripts/demo/fleet/fleet.ts'
import { isOffline, type ServerPlan } from '#scripts/demo/fleet/plan.ts'
import { DAY_MS, HOUR_MS, stamp } from '#scripts/demo/time.ts'
import { insertAll } from './insert.ts'

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

type Marked = { db: Database; marks: Marks }

const ENROLLED_MS = 90_000

/** Stores that every server except a pending one has trusted this dashboard since it was added. */
export async function fillTrust(marked: Marked, fleet: Fleet, now: number): Promise<void> {
  const rows: AgentRow[] = []
  for (const [at, member] of fleet.members.entries()) {
    const since = now - member.plan.age * DAY_MS + ENROLLED_MS
    if (member.plan.role !== 'pending') rows.push(await trusted(marked, member, at + 1, since))
  }
  await insertAll(marked.db, server_agents, rows)
}

/** Stores the agent's copy of the key, and returns the data about the agent. */
export async function trusted(
  { db, marks }: Marked,
  { instant, plan }: Member,
  server_id: number,
  since: number,
): Promise<AgentRow> {
  const key = await findCurrentKey(db)
  if (!key) throw new Error('The dashboard has no key')
  const { kid, public_key } = key
  const hub = new TrustedDashboard(instant.files, SETTINGS.state_dir)
  await hub.write({ server_id, epoch: 1, keys: [{ kid, public_key, until: null }] })
  // Not used: connections to an agent of the demo have no TLS.
  const unused = `simulated: ${plan.hostname}`
  const own = { certificate: unused, public_key: unused, enrolled_at: stamp(since) }
  const row = { server_id, kid, ...own }
  return { ...row, mark: marks.of('server_agents', row) }
}
