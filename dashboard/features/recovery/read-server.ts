import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { operationsReading } from '#shared/servers/changes.readings.ts'
import { findRestored, hasReading, listKnownIds, putReading } from './queries.ts'

type Deps = Pick<CommonDeps, 'db'> & { agents: Agents }

/** The time by which clocks may differ; what the records have is left out anyway. */
const TOLERANCE_MS = 3600_000

/** Records once after a restore which operations the agent has that the records do not have. */
export async function readServer({ db, agents }: Deps, server: ServerRow): Promise<void> {
  const restored = await findRestored(db)
  if (!restored || (await hasReading(db, server.id))) return
  const since = Math.max(0, Date.parse(restored.made_at) - TOLERANCE_MS)
  try {
    const answer = await agents.call(server, operationsReading, { since: String(since) })
    const known = await listKnownIds(
      db,
      answer.operations.map(({ id }) => id),
    )
    const operations = answer.operations.filter(({ id }) => !known.has(id))
    await putReading(db, server.id, { operations, total: answer.total - known.size })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    // The next sync asks again, except an agent that does not have the call.
    if (error.code === 'not_found') await putReading(db, server.id, null)
  }
}
