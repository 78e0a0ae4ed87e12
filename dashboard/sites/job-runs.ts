import type { Agents } from '#dashboard/agents/agents.ts'
import type { ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import type { JobRun } from '#shared/api/job-runs.ts'
import { conflict, ServiceError } from '#shared/errors.ts'
import { AgentJobRuns, plainOutput } from '#shared/job-runs.ts'

/** The answer of an agent without the call. */
const UNKNOWN_CALL = 'Endpoint not found'

/** Read from the server at each call, and not stored. Newest first. */
export async function listJobRuns(
  { agents }: { agents: Agents },
  { server, site }: { server: ServerRow; site: SiteRow },
): Promise<JobRun[]> {
  const { runs } = await agents
    .post(server, '/sites/job-runs', { domain: site.domain }, AgentJobRuns)
    .catch((error: unknown) => {
      if (!(error instanceof ServiceError && error.message === UNKNOWN_CALL)) throw error
      throw conflict('The agent of this server does not report the runs of jobs: upgrade it')
    })
  return runs.map((run) => ({ ...run, output: plainOutput(run.output) }))
}
