import { server_agents } from '#dashboard/kernel/db/trust-schema.ts'
import type { FakeAgent } from '#tests/support/fake-agent.ts'
import type { Dashboard } from './dashboard.ts'

/** The id of a server whose agent is enrolled with the current key. */
export async function enrolled(dashboard: Dashboard, agent: FakeAgent): Promise<number> {
  const server_id = await dashboard.addServer(agent)
  const { certificate, public_key } = agent.identity
  const { kid } = await dashboard.deps.keys.current()
  const known = { server_id, certificate, public_key, kid, enrolled_at: '' }
  const row = { ...known, mark: dashboard.deps.marks.of('server_agents', known) }
  await dashboard.db.write((queries) => queries.insert(server_agents).values(row))
  return server_id
}
