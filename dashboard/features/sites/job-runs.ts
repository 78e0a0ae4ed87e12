import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import type { JobRun } from '#shared/jobs/api/job-runs.ts'
import { plainOutput } from '#shared/jobs/job-runs.ts'
import { jobRunsReading } from '#shared/jobs/readings.ts'

/** Reads the runs from the server at each call, newest first, and stores nothing. */
export async function listJobRuns(
  { agents }: { agents: Agents },
  { server, site }: { server: ServerRow; site: SiteRow },
): Promise<JobRun[]> {
  const { domain } = site
  const { runs } = await agents.call(server, jobRunsReading, { domain })
  return runs.map((run) => ({ ...run, output: plainOutput(run.output) }))
}
