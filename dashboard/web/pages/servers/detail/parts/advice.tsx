import { useQuery } from '@tanstack/react-query'
import { PackagePlus } from 'lucide-react'
import { conditionsQuery } from '#dashboard/web/api/servers.ts'
import { shareOf } from '#dashboard/web/pages/servers/list/arrange.ts'
import { reasonOf } from '#dashboard/web/pages/servers/list/reason.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { formatMegabytes, formatNumber } from '#dashboard/web/ui/format.ts'
import { toneOf } from '#dashboard/web/ui/meter.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { FleetServerDetail } from '#shared/api/fleet.ts'

interface AdviceProps {
  server: FleetServerDetail
  /** This page has shown it as pending. */
  isArrived: boolean
  onProvision: () => void
}

/** Problems of the server and what to do; what is missing for sites. */
export function Advice({ server, isArrived, onProvision }: AdviceProps) {
  const { status, metrics } = server
  if (status === 'offline') return <Away server={server} />
  if (status === 'pending') return null
  const disk = metrics?.disk
  const isFull = disk && toneOf(shareOf(disk) ?? 0) === 'bad'
  return (
    <>
      {isFull && (
        <Notice kind="bad" title="The disk is nearly full">
          {formatMegabytes(disk.total - disk.used)} of {formatMegabytes(disk.total)} are left. Make
          room, or move sites: changes are refused when the disk is full.
        </Notice>
      )}
      <Conditions server_id={server.id} />
      <Next server={server} isArrived={isArrived} onProvision={onProvision} />
    </>
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
function Next({ server, isArrived, onProvision }: AdviceProps) {
  const { id, name, os, version, sites_count, services } = server
  const lacks = ['nginx', 'mariadb'].filter(
    (requested) =>
      !services.some((service) => service.name === requested && service.status !== 'missing'),
  )
  if (!isArrived && lacks.length === 0) return null
  const found = sites_count === 1 ? '1 site' : `${formatNumber(sites_count)} sites`
  const actions = (
    <>
      {lacks.length > 0 && (
        <Button icon={<PackagePlus />} kind="primary" onClick={onProvision}>
          Provision
        </Button>
      )}
      <ButtonLink to="/sites/new" search={{ server_id: id }}>
        Create a site
      </ButtonLink>
    </>
  )
  return (
    <Notice
      kind="info"
      title={isArrived ? `${name} is online` : 'It cannot take sites yet'}
      actions={actions}
    >
      {isArrived && `Agent ${version} on ${os}; ${found} found there. `}
      {lacks.length > 0 &&
        `It lacks ${lacks.join(' and ')}: provision it now, or let the first site do it.`}
    </Notice>
  )
}

function Away({ server }: { server: FleetServerDetail }) {
  return (
    <Notice kind="bad" title={`${server.name} is offline`}>
      {reasonOf(server)}, {server.failures} times in a row. What is shown here is of{' '}
      <Time at={server.last_sync} none="before" />. Sites may be up all the same: look whether the
      machine runs, and there at <code className="font-mono">systemctl status hosting-agent</code>.
      The dashboard retries automatically.
    </Notice>
  )
}
