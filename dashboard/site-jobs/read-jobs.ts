import type { z } from 'zod'
import type { Agents } from '#dashboard/agents/agents.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import type { CronJobs, JobOutput, WordpressCron } from '#shared/api/site-jobs.ts'
import { plainOutput } from '#shared/job-runs.ts'
import { AgentCron, AgentJobOutput, AgentSiteJobs } from '#shared/site-jobs.ts'

interface Deps {
  agents: Agents
}

/** Read from the site at each call, and not stored. */
export const listCronJobs = (deps: Deps, target: SiteTarget): Promise<CronJobs> =>
  ask(deps, target, '/sites/jobs', AgentSiteJobs)

/** The last run of a job with what it printed, which comes from the site. */
export async function readJobOutput(
  deps: Deps,
  target: SiteTarget & { name: string },
): Promise<JobOutput> {
  const { run, output } = await ask(deps, target, '/sites/job-output', AgentJobOutput, {
    name: target.name,
  })
  return { run, output: plainOutput(output) }
}

export async function readWordpressCron(deps: Deps, target: SiteTarget): Promise<WordpressCron> {
  const { events, ...others } = await ask(deps, target, '/sites/wordpress-cron', AgentCron)
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

const ask = <S extends z.ZodType>(
  { agents }: Deps,
  { server, site }: SiteTarget,
  path: string,
  answer: S,
  more: object = {},
): Promise<z.output<S>> => agents.post(server, path, { domain: site.domain, ...more }, answer)
