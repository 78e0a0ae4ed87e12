import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Server } from 'lucide-react'
import { useState } from 'react'
import type { FleetServer } from '#shared/api/fleet.ts'
import { fleetQuery } from '../../../api/fleet.ts'
import { ButtonLink } from '../../../ui/button.tsx'
import { cx } from '../../../ui/cx.ts'
import { Input } from '../../../ui/field.tsx'
import { formatMegabytes, formatNumber } from '../../../ui/format.ts'
import { Empty, Failure, Skeleton } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'

/** More than these are looked for by their names. */
const MANY = 8

interface ServerChoiceProps {
  value: number | undefined
  onChange: (server_id: number) => void
  error: string | undefined
}

/** The servers that can take a site; the others say why they cannot. */
export function ServerChoice({ value, onChange, error }: ServerChoiceProps) {
  const { data, error: failure, refetch } = useQuery(fleetQuery)
  const [q, setQ] = useState('')
  if (failure && !data) return <Failure error={failure} onRetry={refetch} />
  if (!data) return <Skeleton />
  if (data.servers.length === 0) return <NoServers />
  const shown = data.servers.filter(({ name, hostname, id }) =>
    id === value ? true : `${name} ${hostname}`.toLowerCase().includes(q.toLowerCase()),
  )
  const sorted = [...shown].sort((a, b) => Number(!canTake(a)) - Number(!canTake(b)))
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5" aria-describedby="server-error">
      <legend className="mb-1.5 font-medium">Server</legend>
      {data.servers.length > MANY && (
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
          <Choice
            key={server.id}
            server={server}
            isChosen={server.id === value}
            onChoose={() => onChange(server.id)}
          />
        ))}
        {sorted.length === 0 && <p className="p-3 text-muted">No server is called so.</p>}
      </div>
      <p id="server-error" className="text-xs text-bad empty:hidden">
        {error}
      </p>
    </fieldset>
  )
}

const canTake = ({ status }: FleetServer): boolean => status !== 'pending'

interface ChoiceProps {
  server: FleetServer
  isChosen: boolean
  onChoose: () => void
}

function Choice({ server, isChosen, onChoose }: ChoiceProps) {
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
          {isAble && about(server)}
          {!isAble && (
            <>
              Cannot take one: its agent is not installed yet.{' '}
              <Link
                to="/servers/$server_id"
                params={{ server_id: String(id) }}
                className="text-accent underline"
              >
                Install it
              </Link>
            </>
          )}
        </span>
      </span>
      <Status value={status} />
    </label>
  )
}

function about({ status, sites_count, metrics }: FleetServer): string {
  const sites = `${formatNumber(sites_count)} ${sites_count === 1 ? 'site' : 'sites'}`
  if (status === 'offline') return `${sites}; offline: the site is made when it is back`
  if (!metrics) return sites
  const { used, total } = metrics.disk
  return `${sites}; ${formatMegabytes(Math.max(0, total - used))} of disk free`
}

function NoServers() {
  return (
    <Empty
      icon={<Server aria-hidden />}
      title="There is no server yet"
      action={
        <ButtonLink to="/servers/new" kind="primary">
          Add a server
        </ButtonLink>
      }
    >
      A site is made on a server of yours that runs the agent.
    </Empty>
  )
}
