import type { Agents } from '#dashboard/agents/agents.ts'
import type { ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import type { JobRun } from '#shared/api/job-runs.ts'
import { AgentJobRuns, plainOutput } from '#shared/job-runs.ts'

/** Read from the server at each call, and not stored. Newest first. */
export async function listJobRuns(
  { agents }: { agents: Agents },
  { server, site }: { server: ServerRow; site: SiteRow },
): Promise<JobRun[]> {
  const { domain } = site
  const { runs } = await agents.post(server, '/sites/job-runs', { domain }, AgentJobRuns)
  return runs.map((run) => ({ ...run, output: plainOutput(run.output) }))
}
