import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { isNotFound } from '#dashboard/web/api/client.ts'
import { enrolmentQuery } from '#dashboard/web/api/enrolment.ts'
import { serverQuery } from '#dashboard/web/api/servers.ts'
import { MailCard } from '#dashboard/web/features/mail/mail-card.tsx'
import { RunningOperations } from '#dashboard/web/features/operations/running.tsx'
import { Contradictions } from '#dashboard/web/features/servers/contradictions.tsx'
import {
  ServerActions,
  type ServerDialog,
} from '#dashboard/web/pages/servers/detail/actions/server-actions.tsx'
import { EnrolmentPanel } from '#dashboard/web/pages/servers/detail/enrolment/enrolment-panel.tsx'
import { Advice } from '#dashboard/web/pages/servers/detail/parts/advice.tsx'
import { Header } from '#dashboard/web/pages/servers/detail/parts/header.tsx'
import { History } from '#dashboard/web/pages/servers/detail/parts/history.tsx'
import { Isolation } from '#dashboard/web/pages/servers/detail/parts/isolation.tsx'
import { MaintenanceCard } from '#dashboard/web/pages/servers/detail/parts/maintenance.tsx'
import { PhpVersions } from '#dashboard/web/pages/servers/detail/parts/php-versions.tsx'
import {
  RecentActivity,
  RecentOperations,
} from '#dashboard/web/pages/servers/detail/parts/recent.tsx'
import { ServerSites } from '#dashboard/web/pages/servers/detail/parts/server-sites.tsx'
import { Services } from '#dashboard/web/pages/servers/detail/parts/services.tsx'
import { WebCard } from '#dashboard/web/pages/servers/detail/parts/web-card.tsx'
import { NotFound } from '#dashboard/web/ui/not-found.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { ListLink } from '#dashboard/web/ui/record-links.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'

const TRAIL = <ListLink to="/servers" />

/** One server: state, services, history and actions. */
export function ServerPage() {
  const { server_id } = useParams({ from: '/inside/servers/$server_id' })
  return <OneServer key={server_id} id={Number(server_id)} />
}

function OneServer({ id }: { id: number }) {
  const [dialog, setDialog] = useState<ServerDialog>()
  const { data: server, error, refetch } = useQuery(serverQuery(id))
  const [wasNew, setWasNew] = useState(false)
  if (server?.status === 'pending' && !wasNew) setWasNew(true)
  const { data: enrolment } = useQuery(enrolmentQuery(id))
  if (isNotFound(error)) return <NotFound />
  if (!server)
    return (
      <Page title="Server" trail={TRAIL}>
        <QueryState of={{ data: server, error, refetch }} rows={10} />
      </Page>
    )
  const isNew = server.status === 'pending'
  const isNotEnrolled = server.status !== 'online' && enrolment?.enrolled_at === null
  return (
    <Page
      title={server.name}
      trail={TRAIL}
      about={<Header server={server} />}
      actions={<ServerActions server={server} dialog={dialog} onDialog={setDialog} />}
    >
      <QueryState of={{ data: server, error, refetch }} />
      <Contradictions of={{ server_id: id }} />
      <RunningOperations server_id={id} />
      <Advice server={server} isArrived={wasNew} onDialog={setDialog} />
      {(isNew || isNotEnrolled) && <EnrolmentPanel server={server} />}
      {!isNew && <Known server={server} />}
    </Page>
  )
}

/** Shown once the server has answered. */
function Known({ server }: { server: FleetServerDetail }) {
  return (
    <>
      <History server={server} />
      <div className="grid items-start gap-5 xl:grid-cols-3">
        <div className="flex min-w-0 flex-col gap-5 xl:col-span-2">
          <ServerSites server={server} />
          <RecentOperations server={server} />
          <RecentActivity server_id={server.id} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <Services server={server} />
          <WebCard server_id={server.id} />
          <MaintenanceCard server={server} />
          <PhpVersions server={server} />
          <MailCard target={{ server_id: server.id }} name={server.name} />
          <Isolation server={server} />
        </div>
      </div>
    </>
  )
}
