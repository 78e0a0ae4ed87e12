import { domainOf, onSite } from '#agent/kernel/site/on-site.ts'
import { command } from '#agent/kernel/steps/command.ts'
import { changeList, type SiteChange } from './site-change.ts'

export const siteResume = command('site.resume', {
  ...onSite,
  steps: (job) => changeList(resumeChange(job.params.domain), job),
  result: domainOf,
})

const resumeChange = (domain: string): SiteChange => ({
  domain,
  into: ({ suspended: _, ...site }) => site,
  about: () => `Resuming ${domain}`,
  only: 'serving',
})
