import { SETTINGS } from '#agent/kernel/host/simulated/settings.ts'
import { TrustedDashboard } from '#agent/kernel/trust/trusted-dashboard.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import { server_agents } from '#dashboard/kernel/db/trust-schema.ts'
import { findCurrentKey } from '#dashboard/kernel/trust/keys/queries.ts'
import type { AgentRow } from '#dashboard/kernel/trust/queries.ts'
import type { Fleet, Member } from '#scripts/demo/fleet/fleet.ts'
import { DAY_MS, stamp } from '#scripts/demo/time.ts'
import { insertAll } from './insert.ts'

type Marked = { db: Database; marks: Marks }

const ENROLLED_MS = 90_000

/** Every server except a pending one has trusted this dashboard since it was added. */
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
