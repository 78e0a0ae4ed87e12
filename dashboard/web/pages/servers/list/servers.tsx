import { useQuery } from '@tanstack/react-query'
import { Plus, Server } from 'lucide-react'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { ServerList } from './server-list.tsx'

/** All servers. */
export function ServersPage() {
  const { data, error, refetch } = useQuery(fleetQuery)
  const add = (
    <ButtonLink to="/servers/new" kind="primary" icon={<Plus />}>
      Add a server
    </ButtonLink>
  )
  return (
    <Page title="Servers" actions={add}>
      <QueryState of={{ data, error, refetch }} rows={8} />
      {data && data.servers.length === 0 && (
        <Card>
          <Empty icon={<Server />} title="No server yet" action={add}>
            A server is a Debian machine that runs your sites. Adding one takes a minute: you paste
            one command into a shell on it.
          </Empty>
        </Card>
      )}
      {data && data.servers.length > 0 && <ServerList servers={data.servers} />}
    </Page>
  )
}
