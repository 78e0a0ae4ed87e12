import { cx } from '#dashboard/web/ui/cx.ts'
import { formatMegabytes, formatNumber } from '#dashboard/web/ui/format.ts'
import { ServerLink } from '#dashboard/web/ui/record-links.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import type { FleetServer } from '#shared/api/fleet.ts'

/** An offline server receives it when it is online again. */
export const canTake = ({ status }: FleetServer): boolean => status !== 'pending'

/** As the overview has it. */
const FULL = 0.9

const isFull = ({ metrics }: FleetServer): boolean =>
  metrics !== null && metrics.disk.total > 0 && metrics.disk.used / metrics.disk.total >= FULL

/** Those that take a site at once and have room for it come first. */
export function rankOf(server: FleetServer): number {
  if (!canTake(server)) return 3
  if (server.status === 'offline') return 2
  return isFull(server) ? 1 : 0
}

interface ServerOptionProps {
  server: FleetServer
  isChosen: boolean
  onChoose: () => void
}

export function ServerOption({ server, isChosen, onChoose }: ServerOptionProps) {
  const { id, name, hostname, status } = server
  const isAble = canTake(server)
  return (
    <label
      className={cx(
        'flex items-center gap-3 px-3 py-2 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent',
        isAble && 'cursor-pointer hover:bg-sunken',
        isChosen && 'bg-accent-soft hover:bg-accent-soft',
      )}
    >
      <input
        type="radio"
        name="server_id"
        value={id}
        checked={isChosen}
        disabled={!isAble}
        onChange={onChoose}
        aria-label={`${name}: ${isAble ? about(server) : 'its agent is not installed yet'}`}
        className="size-4 shrink-0 accent-accent-solid outline-none"
      />
      <span className="min-w-0 flex-1">
        <span className={cx('block truncate font-medium', !isAble && 'text-muted')}>
          {name} <span className="font-normal text-muted">{hostname}</span>
        </span>
        <span className="block text-xs text-muted">
          {isAble && <span className={cx(isFull(server) && 'text-warn')}>{about(server)}</span>}
          {!isAble && (
            <>
              Cannot take one: its agent is not installed yet.{' '}
              <ServerLink id={id} className="text-accent underline">
                Install agent
              </ServerLink>
            </>
          )}
        </span>
      </span>
      <Status value={status} />
    </label>
  )
}

function about(server: FleetServer): string {
  const { status, sites_count, metrics } = server
  const sites = `${formatNumber(sites_count)} ${sites_count === 1 ? 'site' : 'sites'}`
  if (status === 'offline') return `${sites}; offline: the site is created when it is online again`
  if (!metrics) return sites
  const { used, total } = metrics.disk
  const free = `${sites}; ${formatMegabytes(Math.max(0, total - used))} of disk free`
  return isFull(server) ? `${free}: nearly full` : free
}
