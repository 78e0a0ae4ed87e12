import { useQuery } from '@tanstack/react-query'
import { serverQuery } from '#dashboard/web/api/servers.ts'
import type { SitePlace } from '#dashboard/web/api/site-call.ts'
import { siteQuery } from '#dashboard/web/api/sites.ts'
import { useMay } from '#dashboard/web/ui/rights.tsx'

/** Returns the state of the server of a site, also to somebody who may only see the site. */
export function useServerOf({ id, server_id }: SitePlace) {
  const seesServer = useMay()('read', { server_id })
  const { data: server } = useQuery({ ...serverQuery(server_id), enabled: seesServer })
  const { data: site } = useQuery({ ...siteQuery(id), enabled: !seesServer })
  return server ?? site?.server_state
}
