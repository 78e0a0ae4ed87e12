import { SETTINGS } from '#agent/host/simulated/settings.ts'
import { TrustedDashboard } from '#agent/trust/trusted-dashboard.ts'
import type { Database } from '#dashboard/db/client.ts'
import { server_agents } from '#dashboard/db/trust-schema.ts'
import { findCurrentKey } from '#dashboard/trust/keys/queries.ts'
import type { AgentRow } from '#dashboard/trust/queries.ts'
import type { Fleet, Member } from '#scripts/demo/fleet/fleet.ts'
import { insertAll } from './insert.ts'

const DAY_MS = 86_400_000
const ENROLLED_MS = 90_000

/** Every server except a pending one has trusted this dashboard since it was added. */
export async function fillTrust(db: Database, fleet: Fleet, now: number): Promise<void> {
  const rows: AgentRow[] = []
  for (const [at, member] of fleet.members.entries()) {
    const since = now - member.plan.age * DAY_MS + ENROLLED_MS
    if (member.plan.role !== 'pending') rows.push(await trusted(db, member, at + 1, since))
  }
  await insertAll(db, rows, (queries, some) => queries.insert(server_agents).values(some))
}

/** The agent's copy of the dashboard's key, and the dashboard's data about the agent. */
export async function trusted(
  db: Database,
  { instant, plan }: Member,
  server_id: number,
  since: number,
): Promise<AgentRow> {
  const key = await findCurrentKey(db)
  if (!key) throw new Error('a dashboard has a key')
  const { kid, public_key } = key
  const hub = new TrustedDashboard(instant.files, SETTINGS.state_dir)
  await hub.write({ server_id, epoch: 1, keys: [{ kid, public_key, until: null }] })
  return {
    server_id,
    kid,
    // Not used: connections to an agent of the demo have no TLS.
    certificate: `simulated: ${plan.hostname}`,
    public_key: `simulated: ${plan.hostname}`,
    enrolled_at: new Date(since).toISOString(),
  }
}
