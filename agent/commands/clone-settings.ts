import type { Host } from '#agent/host/ports.ts'
import { inherit, inheritedOf, namesOf } from '#agent/os/clone/settings.ts'
import { change } from '#agent/os/effects/effects.ts'
import { getSite, type Site } from '#agent/os/site/sites.ts'
import type { Step } from '#agent/steps/command.ts'

/**
 * The settings of the original, which the steps after this one apply and record, and its cron jobs
 * if they were asked for. A staging site has its own rules, and runs no jobs.
 */
export function settingsSteps(
  host: Host,
  site: Site,
  original: Site | undefined,
  with_jobs: boolean,
): Step[] {
  if (!original || site.staging) return []
  const { domain, jobs = [] } = original
  const taken = [...namesOf(inheritedOf(original)), ...(with_jobs ? jobsIn(jobs) : [])]
  if (taken.length === 0 && jobs.length === 0) return []
  return [
    {
      name: 'settings',
      title: `Taking over the settings of ${domain}: ${taken.join(', ') || 'none'}`,
      effects: taken.length > 0 ? [change('settings', site.domain)] : [],
      notes: async () => (with_jobs ? [] : leftOut(domain, jobs)),
      async apply() {
        const present = await getSite(host, domain)
        inherit(site, inheritedOf(present))
        if (with_jobs && present.jobs) site.jobs = present.jobs
      },
    },
  ]
}

type Jobs = readonly { name: string }[]

const namesIn = (jobs: Jobs) => jobs.map(({ name }) => name).join(', ')
const jobsIn = (jobs: Jobs) => (jobs.length > 0 ? [`cron jobs (${namesIn(jobs)})`] : [])

const leftOut = (domain: string, jobs: Jobs) =>
  jobs.length > 0 ? [`The clone does not get the cron jobs of ${domain}: ${namesIn(jobs)}.`] : []
