import { isDeepStrictEqual } from 'node:util'
import * as nginx from '#agent/features/web/nginx.ts'
import { namesTakenOver, refuseServedNames } from '#agent/features/web/others.ts'
import { deferred } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { findHolder, getSite, type Site, siteRecord } from '#agent/kernel/site/sites.ts'
import { after, command, type Step, type Warn } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { isWildcard } from '#shared/kernel/names.ts'
import { allNamesOf, NO_NAMES, type SiteNames } from '#shared/kernel/site-names.ts'
import { certificateStep } from './certificate-step.ts'
import { missingNames } from './coverage.ts'
import { cutOffCertificate } from './cut-off.ts'
import { recordsProblem } from './dns-records.ts'

type Params = ParamsOf<'site.domains'>

/** The record decides; the certificate follows it, and a refused one never undoes the names. */
export const siteDomains = command('site.domains', {
  ...onSite,
  async check(params, host) {
    const site = await getSite(host, params.domain)
    await refuseUnfit(host, site, params)
    return { site }
  },
  steps: ({ params, host, warn }) => [
    ...stepsOf(params, host),
    after(
      () => certificateSteps(host, params, warn),
      () => cutOffCertificate(host, params.domain),
    ),
  ],
  result: ({ params }) => ({ domain: params.domain, ...namesIn(params) }),
})

const namesIn = ({ www, aliases, redirects }: SiteNames): SiteNames => ({
  ...{ www, aliases, redirects },
})

/** The default is not recorded. */
function applied({ names: _, ...site }: Site, params: Params): Site {
  const names = namesIn(params)
  return isDeepStrictEqual(names, NO_NAMES) ? site : { ...site, names }
}

/** Throws invalid for a name of another site, of the trash, or of another virtual host. */
async function refuseUnfit(host: Host, site: Site, params: Params): Promise<void> {
  for (const [field, names] of added(site, params)) {
    for (const name of names) await refuseHeld(host, { name, field, except: site.domain })
    await refuseServedNames(host, names, field)
  }
  await refuseUnverifiable(host, site, params)
}

/** Without DNS-01, no authority issues a certificate for a wildcard. */
async function refuseUnverifiable(host: Host, site: Site, params: Params): Promise<void> {
  const added = params.aliases.find(
    (name) => isWildcard(name) && !site.names?.aliases.includes(name),
  )
  if (added === undefined || site.tls !== 'letsencrypt') return
  const problem = await recordsProblem(host)
  if (problem === undefined) return
  const message = `${added} needs a DNS record for its certificate, and this server cannot set it: ${problem}`
  throw invalid({ aliases: [message] })
}

type Field = 'aliases' | 'redirects'

/** The names that the site does not have yet. */
function added(site: Site, { aliases, redirects }: SiteNames): [Field, string[]][] {
  const known = new Set(allNamesOf(site))
  const isNew = (name: string) => !known.has(name)
  return [
    ['aliases', aliases.filter(isNew)],
    ['redirects', redirects.map(({ domain }) => domain).filter(isNew)],
  ]
}

async function refuseHeld(
  host: Host,
  { name, field, except }: { name: string; field: Field; except: string },
): Promise<void> {
  const served = await findHolder(host, [name], { except })
  if (served)
    throw invalid({ [field]: [`${name} is a name of the site ${served.domain} of this server`] })
  const trashed = await findHolder(host, [name], { folder: 'trash' })
  if (!trashed) return
  const message = `${name} is a name of ${trashed.domain}, which is in the trash: restore it or delete it permanently`
  throw invalid({ [field]: [message] })
}

/** Until the record is written every undo restores the old names. */
function stepsOf(params: Params, host: Host): Step[] {
  const recorded = () => getSite(host, params.domain)
  const target = async () => applied(await recorded(), params)
  return [
    {
      name: 'vhost',
      title: 'Applying the virtual host',
      ...deferred(async () => nginx.serve(host, await target())),
      imposes: async () =>
        namesTakenOver(
          host,
          added(await recorded(), params).flatMap(([, names]) => names),
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

/** Only if the certificate lacks one of the names. */
async function certificateSteps(host: Host, params: Params, warn: Warn): Promise<Step[]> {
  const site = applied(await getSite(host, params.domain), params)
  if ((await missingNames(host, site)).length === 0) return []
  const title = `Requesting a certificate for all names of ${site.domain}`
  const refused = 'The names without a certificate redirect to the primary domain'
  return [certificateStep(host, site, { title, refused, warn })]
}
