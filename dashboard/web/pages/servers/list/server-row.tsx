import { memo } from 'react'
import { Check } from '#dashboard/web/ui/check.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { ServerLink } from '#dashboard/web/ui/record-links.tsx'
import { Badge, Status } from '#dashboard/web/ui/status.tsx'
import { Cell } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import { CpuMeter, ShortReading, SpaceMeter } from './readings.tsx'
import { reasonOf } from './reason.ts'

interface ServerRowProps {
  server: FleetServer
  chosen: boolean
  /** The same function each time, so that rows that have not changed stay as they are. */
  onChoose: (id: number, chosen: boolean) => void
}

/** Measured: with 150 servers, sorting and choosing draw no row again. */
export const ServerRow = memo(function ServerRow(props: ServerRowProps) {
  const { server, chosen, onChoose } = props
  const { id, name, hostname, tags, os, version, status, sites_count, metrics } = server
  const reason = reasonOf(server)
  return (
    <tr className="hover:bg-sunken/60 has-checked:bg-accent-soft/60">
      <Cell className="w-10 pr-0">
        <Check name={`Select ${name}`} checked={chosen} onChange={(on) => onChoose(id, on)} />
      </Cell>
      <Cell className="w-full md:w-auto">
        <ServerLink id={id} className="font-medium hover:underline">
          {name}
        </ServerLink>
        {hostname !== name && (
          <div className="max-w-56 truncate text-xs text-muted sm:max-w-72">{hostname}</div>
        )}
        {tags.length > 0 && (
          <div className="mt-1 hidden flex-wrap gap-1 lg:flex">
            {tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </div>
        )}
        <ShortReading server={server} className="mt-1 md:hidden" />
        {reason && <p className="mt-1 text-xs text-muted md:hidden">{reason}</p>}
      </Cell>
      <Cell>
        <Status value={status} />
        {reason && (
          <div className="mt-1 hidden max-w-52 text-xs text-balance text-muted md:block">
            {reason}
          </div>
        )}
      </Cell>
      <Cell className="hidden md:table-cell">
        <CpuMeter server={server} />
      </Cell>
      <Cell className="hidden md:table-cell">
        <SpaceMeter server={server} space={metrics?.ram} />
      </Cell>
      <Cell className="hidden md:table-cell">
        <SpaceMeter server={server} space={metrics?.disk} />
      </Cell>
      <Cell className="hidden text-right tabular-nums sm:table-cell">
        {formatNumber(sites_count)}
      </Cell>
      <Cell className="hidden lg:table-cell">
        <div className="tabular-nums">{version || '–'}</div>
        <div className="max-w-40 truncate text-xs text-muted" title={os}>
          {shortOs(os)}
        </div>
      </Cell>
      <Cell className="hidden text-muted lg:table-cell">
        <Time at={lastContact(server)} />
      </Cell>
    </tr>
  )
})

const lastContact = ({ last_sync, metrics_at }: FleetServer) =>
  [last_sync, metrics_at]
    .filter((at) => at !== null)
    .sort()
    .at(-1)

const shortOs = (os: string) => os.replace(/^Debian GNU\/Linux/, 'Debian')
