import { Server } from 'lucide-react'
import { useState } from 'react'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { Input } from '#dashboard/web/ui/field.tsx'
import { formatCount, formatMegabytes } from '#dashboard/web/ui/format.ts'
import { ServerLink } from '#dashboard/web/ui/record-links.tsx'
import { Empty } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import type { FleetServer } from '#shared/overview/api/fleet.ts'

/** Longer lists have a search field. */
const MAX_WITHOUT_SEARCH = 8

interface ServerChoiceProps {
  servers: readonly FleetServer[]
  value: number | undefined
  onChange: (server_id: number) => void
  error: string | undefined
}

/** The servers that can take a site, those with free space first; the others with the reason. */
export function ServerChoice({ servers, value, onChange, error }: ServerChoiceProps) {
  const [q, setQ] = useState('')
  if (servers.length === 0) return <NoServers />
  const shown = servers.filter(({ name, hostname, id }) =>
    id === value ? true : `${name} ${hostname}`.toLowerCase().includes(q.toLowerCase()),
  )
  const sorted = shown.toSorted((a, b) => rankOf(a) - rankOf(b))
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5" aria-describedby="server-error">
      <legend className="mb-1.5 font-medium">Server</legend>
      {servers.length > MAX_WITHOUT_SEARCH && (
        <Input
          type="search"
          aria-label="Find a server"
          placeholder="Find a server"
          value={q}
          onChange={(event) => setQ(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      )}
      <div className="max-h-72 divide-y divide-line overflow-y-auto rounded-lg border border-line-strong">
        {sorted.map((server) => (
          <ServerOption
            key={server.id}
            server={server}
            isChosen={server.id === value}
            onChoose={() => onChange(server.id)}
          />
        ))}
        {sorted.length === 0 && <p className="p-3 text-muted">No server matches</p>}
      </div>
      <p id="server-error" className="text-xs text-bad empty:hidden">
        {error}
      </p>
    </fieldset>
  )
}

function NoServers() {
  return (
    <Empty
      icon={<Server />}
      title="No servers yet"
      action={
        <ButtonLink needs="admin" to="/servers/new" kind="primary">
          Add a server
        </ButtonLink>
      }
    >
      Sites are created on your servers. Add one first.
    </Empty>
  )
}

/** Why a pending server takes no site: it is not installed, or has just been enrolled or restarted. */
const OBSTACLE = 'its agent has not answered yet'

/** Whether a site can be created: an offline server receives it when it is online again. */
export const canTake = ({ status }: FleetServer): boolean => status !== 'pending'

/** The used share of a disk from which the overview warns. */
const FULL = 0.9

const isFull = ({ metrics }: FleetServer): boolean =>
  metrics !== null && metrics.disk.total > 0 && metrics.disk.used / metrics.disk.total >= FULL

/**
 * Returns the rank of a server: servers that take a site at once and have room for it come first.
 */
function rankOf(server: FleetServer): number {
  if (!canTake(server)) return 3
  if (server.status === 'offline') return 2
  return isFull(server) ? 1 : 0
}

interface ServerOptionProps {
  server: FleetServer
  isChosen: boolean
  onChoose: () => void
}

function ServerOption({ server, isChosen, onChoose }: ServerOptionProps) {
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
        aria-label={`${name}: ${isAble ? about(server) : OBSTACLE}`}
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
              Cannot host sites yet: {OBSTACLE}.{' '}
              <ServerLink id={id} className="text-accent underline">
                Show server
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
  const sites = formatCount(sites_count, 'site')
  if (status === 'offline') return `${sites}; offline: the site is created when it is online again`
  if (!metrics) return sites
  const { used, total } = metrics.disk
  const free = `${sites}; ${formatMegabytes(Math.max(0, total - used))} of disk free`
  return isFull(server) ? `${free}: nearly full` : free
}
