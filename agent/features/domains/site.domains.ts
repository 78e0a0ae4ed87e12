import { isDeepStrictEqual } from 'node:util'
import * as nginx from '#agent/features/web/nginx.ts'
import { namesTakenOver, refuseServedNames } from '#agent/features/web/nginx-servers.ts'
import { deferred } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { findSiteWithName, getSite, type Site, siteRecord } from '#agent/kernel/site/sites.ts'
import { after, command, type Step, type Warn } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { isWildcard } from '#shared/kernel/names.ts'
import { allNamesOf, NO_NAMES, type SiteNames } from '#shared/kernel/site-names.ts'
import { missingNames } from './certificate-coverage.ts'
import { certificateStep } from './certificate-step.ts'
import { recordsProblem } from './dns-records.ts'
import { recordInterruptedIssue } from './interrupted-issue.ts'

type DomainsParams = ParamsOf<'site.domains'>

/** The record decides; a refused certificate never undoes the names. */
export const siteDomains = command('site.domains', {
  ...onSite,
  async check(params, host) {
    const site = await getSite(host, params.domain)
    await refuseUnavailableNames(host, site, params)
    return { site }
  },
  steps: ({ params, host, warn }) => [
    ...stepsOf(params, host),
    after(
      () => certificateSteps(host, params, warn),
      () => recordInterruptedIssue(host, params.domain),
    ),
  ],
  result: ({ params }) => ({ domain: params.domain, ...namesIn(params) }),
})

const namesIn = ({ www, aliases, redirects }: SiteNames): SiteNames => ({
  www,
  aliases,
  redirects,
})

/** Returns the site with the names; the default is not recorded. */
function siteWithNames({ names: _, ...site }: Site, params: DomainsParams): Site {
  const names = namesIn(params)
  return isDeepStrictEqual(names, NO_NAMES) ? site : { ...site, names }
}

/** Throws invalid for a name of another site, of the trash, or of another virtual host. */
async function refuseUnavailableNames(
  host: Host,
  site: Site,
  params: DomainsParams,
): Promise<void> {
  for (const [field, names] of addedNames(site, params)) {
    for (const name of names) await refuseTakenNames(host, { name, field, except: site.domain })
    await refuseServedNames(host, names, field)
  }
  await refuseUnverifiable(host, site, params)
}

/** Throws invalid for a wildcard without DNS-01: no authority would issue a certificate for it. */
async function refuseUnverifiable(host: Host, site: Site, params: DomainsParams): Promise<void> {
  const added = params.aliases.find(
    (name) => isWildcard(name) && !site.names?.aliases.includes(name),
  )
  if (added === undefined || site.tls !== 'letsencrypt') return
  const problem = await recordsProblem(host)
  if (problem === undefined) return
  const message = `${added} needs a DNS record for its certificate, and this server cannot set it: ${problem}`
  throw invalid({ aliases: [message] })
}

type NameField = 'aliases' | 'redirects'

/** Returns the names that the site does not have yet. */
function addedNames(site: Site, { aliases, redirects }: SiteNames): [NameField, string[]][] {
  const known = new Set(allNamesOf(site))
  const isNew = (name: string) => !known.has(name)
  return [
    ['aliases', aliases.filter(isNew)],
    ['redirects', redirects.map(({ domain }) => domain).filter(isNew)],
  ]
}

async function refuseTakenNames(
  host: Host,
  { name, field, except }: { name: string; field: NameField; except: string },
): Promise<void> {
  const served = await findSiteWithName(host, [name], { except })
  if (served)
    throw invalid({ [field]: [`${name} is a name of the site ${served.domain} of this server`] })
  const trashed = await findSiteWithName(host, [name], { folder: 'trash' })
  if (!trashed) return
  const message = `${name} is a name of ${trashed.domain}, which is in the trash: restore it or delete it permanently`
  throw invalid({ [field]: [message] })
}

/** Restores the old names in every undo until the record is written. */
function stepsOf(params: DomainsParams, host: Host): Step[] {
  const recorded = () => getSite(host, params.domain)
  const target = async () => siteWithNames(await recorded(), params)
  return [
    {
      name: 'vhost',
      title: 'Applying the virtual host',
      ...deferred(async () => nginx.serve(host, await target())),
      imposes: async () =>
        namesTakenOver(
          host,
          addedNames(await recorded(), params).flatMap(([, names]) => names),
          params.domain,
        ),
      undo: async () => nginx.serve(host.steady ?? host, await recorded()).apply(),
    },
    {
      name: 'record',
      title: 'Recording the names',
      ...deferred(async () => siteRecord(host, await target())),
      decided: async () => isDeepStrictEqual((await recorded()).names ?? NO_NAMES, namesIn(params)),
    },
  ]
}

/** Returns no step if the certificate has all names. */
async function certificateSteps(host: Host, params: DomainsParams, warn: Warn): Promise<Step[]> {
  const site = siteWithNames(await getSite(host, params.domain), params)
  if ((await missingNames(host, site)).length === 0) return []
  const title = `Requesting a certificate for all names of ${site.domain}`
  const refused = 'The names without a certificate redirect to the primary domain'
  return [certificateStep(host, site, { title, refused, warn })]
}
