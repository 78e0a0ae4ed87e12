import type { Agents } from '#dashboard/agents/agents.ts'
import type { ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import type { JobRun } from '#shared/api/job-runs.ts'
import { plainOutput } from '#shared/job-runs.ts'
import { jobRunsReading } from '#shared/readings/jobs.ts'

/** Read from the server at each call, and not stored. Newest first. */
export async function listJobRuns(
  { agents }: { agents: Agents },
  { server, site }: { server: ServerRow; site: SiteRow },
): Promise<JobRun[]> {
  const { domain } = site
  const { runs } = await agents.call(server, jobRunsReading, { domain })
  return runs.map((run) => ({ ...run, output: plainOutput(run.output) }))
}
