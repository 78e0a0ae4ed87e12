import { useQuery } from '@tanstack/react-query'
import { typedSitesQuery } from '#dashboard/web/api/sites.ts'
import type { FleetSite } from '#shared/api/fleet.ts'
import { apexOf } from '#shared/names.ts'

const MOST = 50

/** What is known of a name while it is typed; plan and creation decide. */
export interface NameUse {
  /** Why it is not available. */
  taken?: string
  /** Where else it exists, as information. */
  also?: string
}

/** Which sites have a name already, with or without `www.`. */
export function useName(domain: string | undefined, server_id: number | undefined): NameUse {
  const apex = domain === undefined ? '' : apexOf(domain)
  const { data, isPlaceholderData } = useQuery({
    ...typedSitesQuery(apex, { most: MOST, pause_ms: 300 }),
    enabled: apex !== '',
  })
  if (!data || isPlaceholderData || apex === '') return {}
  return nameUse(
    data.sites.filter((site) => apexOf(site.domain) === apex),
    server_id,
  )
}

function nameUse(named: readonly FleetSite[], server_id: number | undefined): NameUse {
  const holder = named.find((site) => site.managed || site.server_id === server_id)
  if (holder?.status === 'trashed')
    return {
      taken: `${holder.domain} is in the trash of ${holder.server}: restore it, or delete it permanently`,
    }
  if (holder) return { taken: `The domain is already taken by a site on ${holder.server}` }
  const servers = named.map(({ server }) => server).join(', ')
  return servers === '' ? {} : { also: `A site with this name was found on ${servers}.` }
}
