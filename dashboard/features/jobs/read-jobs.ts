import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { CronJobs, JobOutput, WordpressCron } from '#shared/jobs/api/site-jobs.ts'
import { plainOutput } from '#shared/jobs/job-runs.ts'
import { jobOutputReading, siteJobsReading, wordpressCronReading } from '#shared/jobs/readings.ts'

interface Deps {
  agents: Agents
}

/** Reads the jobs from the site at each call, and stores nothing. */
export const listCronJobs = ({ agents }: Deps, { server, site }: SiteTarget): Promise<CronJobs> =>
  agents.call(server, siteJobsReading, { domain: site.domain })

/** Returns the last run of a job with what it printed, which comes from the site. */
export async function readJobOutput(
  { agents }: Deps,
  { server, site, name }: SiteTarget & { name: string },
): Promise<JobOutput> {
  const params = { domain: site.domain, name }
  const { run, output } = await agents.call(server, jobOutputReading, params)
  return { run, output: plainOutput(output) }
}

export async function readWordpressCron(
  { agents }: Deps,
  { server, site }: SiteTarget,
): Promise<WordpressCron> {
  const params = { domain: site.domain }
  const { events, ...others } = await agents.call(server, wordpressCronReading, params)
  const plain = (text: string) => plainOutput(text).replaceAll('\n', ' ')
  return {
    ...others,
    events: events.map(({ hook, schedule, ...event }) => ({
      ...event,
      hook: plain(hook),
      schedule: schedule === null ? null : plain(schedule),
    })),
  }
}
