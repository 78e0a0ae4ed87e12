import { useQuery } from '@tanstack/react-query'
import { ArrowUpCircle, PackagePlus } from 'lucide-react'
import { conditionsQuery } from '#dashboard/web/api/servers.ts'
import type { ServerDialog } from '#dashboard/web/pages/servers/detail/actions/server-actions.tsx'
import { shareOf } from '#dashboard/web/pages/servers/list/arrange.ts'
import { reasonOf } from '#dashboard/web/pages/servers/list/reason.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { formatCount, formatMegabytes } from '#dashboard/web/ui/format.ts'
import { toneOf } from '#dashboard/web/ui/meter.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { RightsAt } from '#dashboard/web/ui/rights.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { PROTOCOL } from '#shared/kernel/protocol.ts'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'

interface AdviceProps {
  server: FleetServerDetail
  /** This page has shown it as pending. */
  isArrived: boolean
  onDialog: (dialog: ServerDialog) => void
}

/** Problems of the server and what to do; what is missing for sites. */
export function Advice({ server, isArrived, onDialog }: AdviceProps) {
  const { status, metrics } = server
  if (status === 'offline') return <Offline server={server} />
  if (status === 'pending') return null
  const disk = metrics?.disk
  const isFull = disk && toneOf(shareOf(disk) ?? 0) === 'bad'
  return (
    <>
      {isFull && (
        <Notice kind="bad" title="The disk is nearly full">
          {formatMegabytes(disk.total - disk.used)} of {formatMegabytes(disk.total)} are free.
          Delete files or move sites: changes are refused when the disk is full.
        </Notice>
      )}
      {metrics && metrics.protocol !== PROTOCOL && <OtherProtocol onDialog={onDialog} />}
      <Conditions server_id={server.id} />
      <Next server={server} isArrived={isArrived} onDialog={onDialog} />
    </>
  )
}

/** What an agent of another protocol cannot do, and its upgrade. */
function OtherProtocol({ onDialog }: Pick<AdviceProps, 'onDialog'>) {
  const upgrade = (
    <Button
      needs="operate"
      icon={<ArrowUpCircle />}
      kind="primary"
      onClick={() => onDialog('upgrade')}
    >
      Upgrade agent
    </Button>
  )
  return (
    <Notice kind="warn" title="The agent needs an upgrade" actions={upgrade}>
      It has another protocol than this dashboard. Until it is upgraded, the dashboard reads its
      metrics and sites and sends it commands; everything else on this server is refused.
    </Notice>
  )
}

/** Existing software that prevents new sites. */
function Conditions({ server_id }: { server_id: number }) {
  const { data } = useQuery(conditionsQuery(server_id))
  if (!data || data.length === 0) return null
  return (
    <Notice kind="warn" title="This prevents new sites">
      <ul className="flex flex-col gap-1">
        {data.map(({ code, message }) => (
          <li key={code}>{message}.</li>
        ))}
      </ul>
    </Notice>
  )
}

/** The next step for a new server, or for one that cannot take sites yet. */
function Next({ server, isArrived, onDialog }: AdviceProps) {
  const { id, name, os, version, sites_count, services } = server
  const missing = ['nginx', 'mariadb'].filter(
    (program) =>
      !services.some((service) => service.name === program && service.status !== 'missing'),
  )
  if (!isArrived && missing.length === 0) return null
  const actions = (
    <>
      {missing.length > 0 && (
        <Button
          needs="operate"
          icon={<PackagePlus />}
          kind="primary"
          onClick={() => onDialog('provision')}
        >
          Provision
        </Button>
      )}
      <ButtonLink needs="operate" to="/sites/new" search={{ server_id: id }}>
        Create a site
      </ButtonLink>
    </>
  )
  return (
    <Notice
      kind="info"
      title={isArrived ? `${name} is online` : 'This server is not ready for sites yet'}
      actions={actions}
    >
      {isArrived && `Agent ${version} on ${os}; ${formatCount(sites_count, 'site')} found there. `}
      {missing.length > 0 &&
        `${missing.join(' and ')} must be installed: provision the server now, or with the first site.`}
    </Notice>
  )
}

function Offline({ server }: { server: FleetServerDetail }) {
  return (
    <Notice
      kind="bad"
      title={`${server.name} is offline`}
      actions={
        <RightsAt where="fleet">
          <ButtonLink
            needs="admin"
            to="/servers/$server_id/lost"
            params={{ server_id: String(server.id) }}
          >
            This server is lost
          </ButtonLink>
        </RightsAt>
      }
    >
      {reasonOf(server)}, {server.failures} times in a row. This page shows data from{' '}
      <Time at={server.last_sync} none="before its first sync" />. Sites may still be up: check that
      the machine runs, and run <code className="font-mono">systemctl status hosting-agent</code>{' '}
      there. The dashboard retries automatically. If the machine does not come back, restore its
      sites on other servers.
    </Notice>
  )
}
