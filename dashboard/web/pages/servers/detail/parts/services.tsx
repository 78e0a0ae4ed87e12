import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { restartService } from '#dashboard/web/api/servers.ts'
import { IconButton } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Status, type Tone } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'

type Service = FleetServerDetail['services'][number]

const isPool = ({ name }: Service) => name.startsWith('php-fpm:')
const isFine = ({ status }: Service) => status === 'running'
const CAN_RESTART = /^(nginx|mariadb|php-fpm:.+)$/

/** The services; the PHP of each site is collapsed while all of them run. */
export function Services({ server }: { server: FleetServerDetail }) {
  const [all, setAll] = useState(false)
  const { services } = server
  const pools = services.filter(isPool)
  const fine = pools.filter(isFine)
  const shown = services.filter((service) => all || !isPool(service) || !isFine(service))
  return (
    <Card
      title="Services"
      flush
      {...(server.status !== 'online' && { actions: <AsOf server={server} /> })}
    >
      {services.length === 0 && <p className="p-4 text-muted">No services reported yet</p>}
      <ul className="divide-y divide-line">
        {shown.map((service) => (
          <ServiceRow key={service.name} server={server} service={service} />
        ))}
      </ul>
      {fine.length > 0 && (
        <button
          type="button"
          aria-expanded={all}
          onClick={() => setAll(!all)}
          className="w-full border-t border-line px-4 py-2.5 text-left text-xs text-muted hover:bg-sunken hover:text-text"
        >
          {all ? 'Show less' : `PHP of ${formatNumber(fine.length)} sites, running: show each`}
        </button>
      )}
    </Card>
  )
}

/** The state at the last contact; the present state is unknown. */
function toneOf(server: FleetServerDetail, { status }: Service): { tone?: Tone } {
  if (server.status !== 'online') return { tone: 'plain' }
  return status === 'running' ? { tone: 'good' } : {}
}

function AsOf({ server }: { server: FleetServerDetail }) {
  return (
    <span className="text-xs text-muted">
      as of <Time at={server.last_sync} />
    </span>
  )
}

function ServiceRow({ server, service }: { server: FleetServerDetail; service: Service }) {
  const { dialog, show } = useDialog()
  const client = useQueryClient()
  const { name, status } = service
  const { mutateAsync, isPending } = useMutation({
    mutationFn: () => restartService(server.id, name),
    onSuccess: () => toast(`${name} was restarted`),
    onSettled: () => client.invalidateQueries({ queryKey: ['servers', server.id] }),
  })
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5">
      <span className="min-w-0 flex-1 truncate" title={name}>
        {isPool(service) ? `PHP of ${name.slice('php-fpm:'.length)}` : name}
      </span>
      <Status value={status} {...toneOf(server, service)} />
      <span className="-mr-2 flex w-9 justify-end">
        {CAN_RESTART.test(name) && (
          <IconButton
            needs="operate"
            name={`Restart ${name}`}
            icon={<RotateCw />}
            busy={isPending}
            onClick={show}
          />
        )}
      </span>
      <Confirm
        {...dialog}
        title={`Restart ${name}`}
        action="Restart service"
        onConfirm={() => mutateAsync()}
      >
        {isPool(service)
          ? 'The site of this user is briefly unavailable. Other sites are not affected.'
          : `The sites on ${server.name} are briefly unavailable.`}
      </Confirm>
    </li>
  )
}
