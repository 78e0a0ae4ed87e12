import { onSite } from '#agent/kernel/site/on-site.ts'
import { withXmlrpc } from '#agent/kernel/site/settings.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { changeList, type SiteChange } from './site-change.ts'

type UpdateParams = ParamsOf<'site.update'>

export const siteUpdate = command('site.update', {
  ...onSite,
  steps: (job) => changeList(updateChange(job.params), job),
  result: async ({ params: { domain }, host }) => resultOf(await getSite(host, domain)),
})

const resultOf = ({ domain, php, tier, database_routines = false, xmlrpc = true }: Site) => ({
  domain,
  php,
  tier,
  database_routines,
  xmlrpc,
})

/** Only the values that differ from the defaults are part of a record. */
function updateChange({ domain, accept, ...change }: UpdateParams): SiteChange {
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
