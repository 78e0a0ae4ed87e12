import type { Agents } from '#dashboard/agents/agents.ts'
import type { ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import type { JobRun } from '#shared/api/job-runs.ts'
import { conflict, type ErrorName, ServiceError } from '#shared/errors.ts'
import { AgentJobRuns, plainOutput } from '#shared/job-runs.ts'

/** Read from the server at each call, and not stored. Newest first. */
export async function listJobRuns(
  { agents }: { agents: Agents },
  { server, site }: { server: ServerRow; site: SiteRow },
): Promise<JobRun[]> {
  const ask = (body: object) => agents.post(server, '/sites/job-runs', body, AgentJobRuns)
  const { runs } = await ask({ domain: site.domain }).catch(async (error: unknown) => {
    if (!hasCode(error, 'not_found')) throw error
    // An agent that knows the call, and not the site, refuses a call without one.
    const other: unknown = await ask({}).catch((reason: unknown) => reason)
    if (!hasCode(other, 'not_found')) throw error
    throw conflict('The agent of this server does not report the runs of jobs: upgrade it')
  })
  return runs.map((run) => ({ ...run, output: plainOutput(run.output) }))
}

const hasCode = (error: unknown, code: ErrorName): boolean =>
  error instanceof ServiceError && error.code === code
