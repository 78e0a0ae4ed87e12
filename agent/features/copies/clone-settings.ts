import { inherit, inheritedOf, namesOf } from '#agent/features/copies/clone/settings.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { type Job, type Step, value } from '#agent/kernel/steps/command.ts'

export type Clone = Job<'site.clone', { site: Site }>

/** The record of a clone with what it takes over. */
export const inherited = value<Site>('The settings of the original were not read')

/**
 * The settings of the original, and its cron jobs if they were asked for. A staging site has its own
 * rules, and runs no jobs.
 */
export function settingsSteps(
  { host, site, gives }: Clone,
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
      apply: gives(inherited, async () => {
        const present = await getSite(host, domain)
        const clone = inherit(site, inheritedOf(present))
        return with_jobs && present.jobs ? { ...clone, jobs: present.jobs } : clone
      }),
    },
  ]
}

type Jobs = readonly { name: string }[]

const namesIn = (jobs: Jobs) => jobs.map(({ name }) => name).join(', ')
const jobsIn = (jobs: Jobs) => (jobs.length > 0 ? [`cron jobs (${namesIn(jobs)})`] : [])

const leftOut = (domain: string, jobs: Jobs) =>
  jobs.length > 0 ? [`The clone does not get the cron jobs of ${domain}: ${namesIn(jobs)}.`] : []
