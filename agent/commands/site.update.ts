import { withXmlrpc } from '#agent/os/site/settings.ts'
import type { Site } from '#agent/os/site/sites.ts'
import type { Command } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { apexOf } from '#shared/names.ts'
import { changed, changeSite, changeSteps, planChange, type SiteChange } from './site-change.ts'

type Params = ParamsOf<'site.update'>

export const siteUpdate: Command<'site.update'> = {
  lock: ({ domain }) => apexOf(domain),
  steps: (params, host) => changeSteps(updating(params), host),
  plan: (params, host) => planChange(updating(params), host),
  async finished(params, host) {
    const site = await changed(updating(params), host)
    return site && resultOf(site)
  },
  async *run(params, context) {
    return resultOf(yield* changeSite(updating(params), context))
  },
}

const resultOf = ({ domain, php, tier, database_routines = false, xmlrpc = true }: Site) => ({
  ...{ domain, php, tier, database_routines, xmlrpc },
})

/** Only the values that differ from the defaults are part of a record. */
export function updating({ domain, accept, ...change }: Params): SiteChange {
  const into = (site: Site): Site => {
    const { php = site.php, tier = site.tier } = change
    const { database_routines = false, ...rest } = site
    const routines = change.database_routines ?? database_routines
    const target = { ...rest, php, tier, ...(routines && { database_routines: true }) }
    if (change.xmlrpc === undefined) return target
    return withXmlrpc(target, change.xmlrpc ? 'on' : 'off')
  }
  const about = ({ php, tier }: Site) => `Moving ${domain} to PHP ${php}, tier ${tier}`
  return { domain, into, about, accept }
}
