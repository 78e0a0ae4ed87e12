import type { ServerRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, begin } from '#dashboard/operations/begin.ts'
import type { Job } from '#dashboard/operations/job.ts'
import { findActive } from '#dashboard/operations/queries.ts'
import { ServiceError } from '#shared/errors.ts'

const type = 'server.sync'

/** A second sync of a server attaches to the one under way. */
export async function requestSync(deps: BeginDeps, server: ServerRow, actor: number): Promise<Job> {
  const running = () => findActive(deps.db, { type, server_id: server.id, site_id: null })
  const active = await running()
  if (active) return deps.worker.start(active)
  try {
    return await begin(deps, { type, server, params: {}, actor, patient: false })
  } catch (error) {
    const other = error instanceof ServiceError && (await running())
    if (!other) throw error
    return deps.worker.start(other)
  }
}
