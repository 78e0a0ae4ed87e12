import type { Host } from '#agent/kernel/host/ports.ts'
import { findSite, type Site } from '#agent/kernel/site/sites.ts'
import { namesAfter, type Primary } from '#shared/domains/primary-domain.ts'
import { allNamesOf, NO_NAMES, pairOf } from '#shared/kernel/site-names.ts'

/** A site before and after the change of its primary domain. */
export interface Renaming {
  former: Site
  target: Site
}

/** The former record decides: the change is done as soon as it is gone. */
export async function findRenaming(
  host: Host,
  { domain, primary, former: use }: Primary & { domain: string },
): Promise<Renaming | undefined> {
  const former = await findSite(host, domain)
  if (former) return { former, target: renamedTo(former, { primary, former: use }) }
  const renamed = await findSite(host, primary)
  return renamed && { former: { ...renamed, domain }, target: renamed }
}

const renamedTo = (site: Site, primary: Primary): Site => ({
  ...site,
  domain: primary.primary,
  names: namesAfter(site, primary),
})

/** The names that the server does not serve for the site yet. */
export const newNames = ({ former, target }: Renaming): string[] => {
  const known = allNamesOf(former)
  return pairOf(target.domain).filter((name) => !known.includes(name))
}

/** Until the switch the site also answers at the new names, as an authority needs it. */
export function alsoServing({ former, target }: Renaming): Site {
  const { names = NO_NAMES } = former
  const aliases = [...names.aliases, ...newNames({ former, target })]
  return { ...former, names: { ...names, aliases } }
}
