import type { Host } from '#agent/host/ports.ts'
import { getSite, type Site } from '#agent/os/site/sites.ts'
import type { Command } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'
import { changed, changeSite, changeSteps, planChange, type SiteChange } from './site-change.ts'

type Params = ParamsOf<'staging.password'>

export const stagingPassword: Command<'staging.password'> = {
  lock: ({ domain }) => apexOf(domain),
  steps: (params, host) => changeSteps(changing(params), host),
  async plan(params, host) {
    await refusePublic(params, host)
    return planChange(changing(params), host)
  },
  async finished(params, host) {
    const site = await changed(changing(params), host)
    return site && { domain: site.domain }
  },
  async *run(params, context) {
    await refusePublic(params, context.host)
    const { domain } = yield* changeSite(changing(params), context)
    return { domain }
  },
}

async function refusePublic({ domain }: Params, host: Host): Promise<void> {
  const { staging } = await getSite(host, domain)
  if (!staging) throw conflict(`${domain} is not a staging site: it has no staging password`)
}

const changing = ({ domain, password_hash }: Params): SiteChange => ({
  domain,
  into: (site: Site): Site => ({
    ...site,
    ...(site.staging && { staging: { ...site.staging, password_hash } }),
  }),
  about: () => `Changing the password of ${domain}`,
  only: 'serving',
})
