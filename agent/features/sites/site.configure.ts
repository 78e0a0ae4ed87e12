import { onSite } from '#agent/kernel/site/on-site.ts'
import { reportOf, withSettings, withXmlrpc } from '#agent/kernel/site/settings.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { beyondTier } from '#shared/sites/site-settings.ts'
import { changeList, type SiteChange } from './site-change.ts'

type ConfigureParams = ParamsOf<'site.configure'>

export const siteConfigure = command('site.configure', {
  ...onSite,
  async check(params, host) {
    const site = await getSite(host, params.domain)
    refuseTooLarge(params, site)
    return { site }
  },
  steps: (job) => changeList(configureChange(job.params), job),
  result: async ({ params: { domain }, host }) => reportOf(await getSite(host, domain)),
})

function refuseTooLarge({ php_settings }: ConfigureParams, { tier }: Site): void {
  const beyond = php_settings ? beyondTier(php_settings, tier) : []
  if (beyond.length > 0) throw invalid({ php_settings: beyond })
}

function configureChange({
  domain,
  xmlrpc,
  page_purge,
  csp,
  hsts,
  ...others
}: ConfigureParams): SiteChange {
  const given = {
    ...others,
    ...(page_purge !== undefined && { page_purge: page_purge || null }),
    ...(csp !== undefined && { csp: csp === 'basic' ? null : csp }),
    ...(hsts !== undefined && { hsts: hsts === 'on' ? null : hsts }),
  }
  const into = (site: Site): Site => {
    const settings = Object.entries(given).filter(([, value]) => value !== undefined)
    const target = withSettings(site, { ...site.settings, ...Object.fromEntries(settings) })
    return xmlrpc === undefined ? target : withXmlrpc(target, xmlrpc)
  }
  return {
    domain,
    into,
    about: () => `Applying the settings of ${domain}`,
    // nginx applies the other settings.
    only: given.php_settings === undefined ? 'serving' : undefined,
  }
}
