import { isDeepStrictEqual } from 'node:util'
import type { Host } from '#agent/host/ports.ts'
import * as cron from '#agent/os/cron/cron.ts'
import { deferred } from '#agent/os/effects/change.ts'
import { findSite, getSite, planWriteSite, type Site, writeSite } from '#agent/os/site/sites.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'

type Params = ParamsOf<'site.jobs'>

/** The whole list; the record decides. A changed or removed job that runs meanwhile is ended. */
export const siteJobs: Command<'site.jobs'> = {
  lock: ({ domain }) => apexOf(domain),
  steps: stepsOf,
  async plan(params, host) {
    await checked(host, params)
    return stepsOf(params, host)
  },
  async finished(params, host) {
    const site = await findSite(host, params.domain)
    return site && isReached(site, params) ? resultOf(params) : undefined
  },
  async *run(params, { host, announce, perform }) {
    await checked(host, params)
    const steps = stepsOf(params, host)
    announce(steps)
    yield* perform(steps)
    return resultOf(params)
  },
}

const resultOf = ({ domain, jobs }: Params) => ({ domain, jobs })
const isReached = ({ jobs = [] }: Site, params: Params) => isDeepStrictEqual(jobs, params.jobs)

/** No jobs are not recorded, so that the record stays readable for older agents. */
function applied({ jobs: _, ...site }: Site, { jobs }: Params): Site {
  return jobs.length === 0 ? site : { ...site, jobs }
}

async function checked(host: Host, { domain, jobs }: Params): Promise<void> {
  await getSite(host, domain)
  if (jobs.length > 0 && host.init !== 'systemd')
    throw conflict('Cron jobs of sites need a server that systemd started')
}

/** Until the record is written every undo restores the former jobs. */
function stepsOf(params: Params, host: Host): Step[] {
  const recorded = () => getSite(host, params.domain)
  const target = async () => applied(await recorded(), params)
  return [
    {
      name: 'jobs',
      title: `Applying the cron jobs of ${params.domain}`,
      ...deferred(async () => cron.scheduleOwn(host, await target())),
      undo: async () => cron.scheduleOwn(host.steady ?? host, await recorded()).apply(),
    },
    {
      name: 'record',
      title: 'Recording the cron jobs',
      effects: async () => planWriteSite(host, await target()),
      apply: async () => writeSite(host, await target()),
      decided: async () => isReached(await recorded(), params),
    },
  ]
}
