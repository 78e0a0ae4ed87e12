import { domainOf, onSite } from '#agent/kernel/site/on-site.ts'
import { command } from '#agent/kernel/steps/command.ts'
import { changeList, type SiteChange } from './site-change.ts'

export const siteSuspend = command('site.suspend', {
  ...onSite,
  steps: (job) => changeList(suspendChange(job.params.domain), job),
  result: domainOf,
})

const suspendChange = (domain: string): SiteChange => ({
  domain,
  into: (site) => ({ ...site, suspended: true }),
  about: () => `Suspending ${domain}`,
  only: 'serving',
})
