import { useQuery } from '@tanstack/react-query'
import { serverQuery } from '#dashboard/web/api/servers.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'

/** Shown while the server is offline: the data of the site is from its last sync. */
export function ServerOffline({ site }: { site: Site }) {
  const { data: server } = useQuery(serverQuery(site.server_id))
  if (server?.status !== 'offline') return null
  return (
    <Notice
      kind="wait"
      title={`${site.server} cannot be reached`}
      actions={
        <ButtonLink to="/servers/$server_id" params={{ server_id: String(site.server_id) }}>
          Open server
        </ButtonLink>
      }
    >
      The page shows data from <Time at={server.last_sync} none="before its first sync" />. Changes
      wait until the server is online. Certificates, scans, passwords and the cache are not
      available until then.
    </Notice>
  )
}
