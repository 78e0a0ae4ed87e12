import type { Agents } from '#dashboard/agents/agents.ts'
import { refuseOld } from '#dashboard/agents/old-agent.ts'
import type { ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import type { JobRun } from '#shared/api/job-runs.ts'
import { AgentJobRuns, plainOutput } from '#shared/job-runs.ts'

/** Read from the server at each call, and not stored. Newest first. */
export async function listJobRuns(
  { agents }: { agents: Agents },
  { server, site }: { server: ServerRow; site: SiteRow },
): Promise<JobRun[]> {
  const ask = (body: object) => agents.post(server, '/sites/job-runs', body, AgentJobRuns)
  const { runs } = await ask({ domain: site.domain }).catch((error: unknown) =>
    refuseOld(error, 'does not report the runs of jobs', () => ask({})),
  )
  return runs.map((run) => ({ ...run, output: plainOutput(run.output) }))
}
