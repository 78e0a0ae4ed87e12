import { changeList, type SiteChange } from '#agent/features/sites/site-change.ts'
import { domainOf, onSite } from '#agent/kernel/site/on-site.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/kernel/errors.ts'

type PasswordParams = ParamsOf<'staging.password'>

export const stagingPassword = command('staging.password', {
  ...onSite,
  async check({ domain }, host) {
    const site = await getSite(host, domain)
    if (site.staging) return { site }
    throw conflict(`${domain} is not a staging site: it has no staging password`)
  },
  steps: (job) => changeList(passwordChange(job.params), job),
  result: domainOf,
})

const passwordChange = ({ domain, password_hash }: PasswordParams): SiteChange => ({
  domain,
  into: (site: Site): Site => ({
    ...site,
    ...(site.staging && { staging: { ...site.staging, password_hash } }),
  }),
  about: () => `Changing the password of ${domain}`,
  only: 'serving',
})
