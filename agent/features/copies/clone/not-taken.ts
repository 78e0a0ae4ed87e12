import type { Manifest } from '#agent/features/backups/manifest.ts'
import { recordIn, type Site } from '#agent/kernel/site/sites.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'

/**
 * What the site of a backup had, and the site that takes its address again does not have: nobody else
 * would notice. A copy with another address is not meant to be the same.
 */
export function notTaken(site: Site, former: Manifest['site']): string[] {
  const original = recordIn(former)
  if (!original || !isSame(site, original)) return []
  const { settings = {}, access = [] } = original
  const present = allNamesOf(site)
  const names = allNamesOf(original).filter((name) => !present.includes(name))
  const people = access.map(({ person }) => person)
  return [
    ...(names.length > 0
      ? [`its other addresses (${shortened(names)}): add them on the tab Domains`]
      : []),
    ...(original.names?.www === 'redirect' && site.names?.www !== 'redirect'
      ? ['the redirect between its address with and without www']
      : []),
    ...(people.length > 0
      ? [`the access of ${shortened(people)}: give it again on the tab Access`]
      : []),
    ...(original.suspended ? ['that it was suspended: visitors see it now'] : []),
    ...(settings.maintenance ? ['its maintenance page: visitors see the site now'] : []),
    ...(settings.page_purge ? ['the purge of its page cache by WordPress'] : []),
    ...(original.object_cache ? ['its object cache'] : []),
    ...(original.php === site.php ? [] : [`PHP ${original.php}: it has ${site.php} now`]),
    ...(original.tier === site.tier ? [] : [`the tier ${original.tier}: it has ${site.tier} now`]),
  ].map((what) => `Not taken over from the backup: ${what}`)
}

/** Whether the new site takes the address of the original again. */
export const isSame = (site: Site, original: Site): boolean =>
  !site.staging && apexOf(site.domain) === apexOf(original.domain)

const SHOWN = 10

function shortened(names: readonly string[]): string {
  const more = names.length - SHOWN
  return more > 0 ? `${names.slice(0, SHOWN).join(', ')} and ${more} more` : names.join(', ')
}
