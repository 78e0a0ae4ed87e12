import { PackagePlus } from 'lucide-react'
import type { FleetServerDetail } from '#shared/api/fleet.ts'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { formatMegabytes } from '../../../ui/format.ts'
import { toneOf } from '../../../ui/meter.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Time } from '../../../ui/time.tsx'
import { shareOf } from '../../servers/arrange.ts'
import { reasonOf } from '../../servers/reason.ts'

interface AdviceProps {
  server: FleetServerDetail
  onProvision: () => void
}

/** What is wrong with the server and what to do about it; what it lacks to take sites. */
export function Advice({ server, onProvision }: AdviceProps) {
  const { status, metrics, services, sites_count } = server
  const disk = metrics?.disk
  const isFull = disk && toneOf(shareOf(disk) ?? 0) === 'bad'
  const lacks = ['nginx', 'mariadb'].filter(
    (name) => !services.some((service) => service.name === name && service.status !== 'missing'),
  )
  return (
    <>
      {status === 'offline' && <Away server={server} />}
      {status === 'online' && isFull && (
        <Notice kind="bad" title="The disk is nearly full">
          {formatMegabytes(disk.total - disk.used)} of {formatMegabytes(disk.total)} are left. Make
          room, or move sites: changes there are refused when nothing is left.
        </Notice>
      )}
      {status === 'online' && lacks.length > 0 && (
        <Notice
          kind="info"
          title={sites_count > 0 ? 'It is not provisioned' : 'It is online and ready to be set up'}
          actions={
            <>
              <Button icon={<PackagePlus aria-hidden />} kind="primary" onClick={onProvision}>
                Provision
              </Button>
              <ButtonLink to="/sites/new" search={{ server_id: server.id }}>
                Create a site
              </ButtonLink>
            </>
          }
        >
          It lacks {lacks.join(' and ')}. Provision it now, or let the first site do it.
        </Notice>
      )}
    </>
  )
}

function Away({ server }: { server: FleetServerDetail }) {
  return (
    <Notice kind="bad" title={`${server.name} is offline`}>
      {reasonOf(server)}, {server.failures} times in a row. What is shown here is of{' '}
      <Time at={server.last_sync} none="before" />. Sites may be up all the same: look whether the
      machine runs, and there at <code className="font-mono">systemctl status hosting-agent</code>.
      It is asked again by itself.
    </Notice>
  )
}
