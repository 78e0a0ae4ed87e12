import type { Host } from '#agent/kernel/host/ports.ts'
import { findSite, type Site } from '#agent/kernel/site/sites.ts'
import { type NewPrimary, namesAfter } from '#shared/domains/primary-domain.ts'
import { allNamesOf, NO_NAMES, pairOf } from '#shared/kernel/site-names.ts'

/** A site before and after the change of its primary domain. */
export interface Renaming {
  former: Site
  target: Site
}

/** Finds a renaming that is not decided: the removal of the former record decides it. */
export async function findRenaming(
  host: Host,
  { domain, primary, former: use }: NewPrimary & { domain: string },
): Promise<Renaming | undefined> {
  const former = await findSite(host, domain)
  if (former) return { former, target: siteWithPrimary(former, { primary, former: use }) }
  const renamed = await findSite(host, primary)
  return renamed && { former: { ...renamed, domain }, target: renamed }
}

const siteWithPrimary = (site: Site, primary: NewPrimary): Site => ({
  ...site,
  domain: primary.primary,
  names: namesAfter(site, primary),
})

/** Returns the names that the server does not serve for the site yet. */
export const newNames = ({ former, target }: Renaming): string[] => {
  const known = allNamesOf(former)
  return pairOf(target.domain).filter((name) => !known.includes(name))
}

/** Returns the site with both names, served until the switch, as an authority requests the new. */
export function servingBoth({ former, target }: Renaming): Site {
  const { names = NO_NAMES } = former
  const aliases = [...names.aliases, ...newNames({ former, target })]
  return { ...former, names: { ...names, aliases } }
}
