import { useQuery } from '@tanstack/react-query'
import { Server } from 'lucide-react'
import { useState } from 'react'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Input } from '#dashboard/web/ui/field.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { rankOf, ServerOption } from './server-option.tsx'

/** Longer lists have a search field. */
const MANY = 8

interface ServerChoiceProps {
  value: number | undefined
  onChange: (server_id: number) => void
  error: string | undefined
}

/** The servers that can take a site, those with free space first; the others with the reason. */
export function ServerChoice({ value, onChange, error }: ServerChoiceProps) {
  const query = useQuery(fleetQuery)
  const { data } = query
  const [q, setQ] = useState('')
  if (!data) return <QueryState of={query} />
  if (data.servers.length === 0) return <NoServers />
  const shown = data.servers.filter(({ name, hostname, id }) =>
    id === value ? true : `${name} ${hostname}`.toLowerCase().includes(q.toLowerCase()),
  )
  const sorted = shown.toSorted((a, b) => rankOf(a) - rankOf(b))
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
        <ButtonLink to="/servers/new" kind="primary">
          Add a server
        </ButtonLink>
      }
    >
      Sites are created on your servers. Add one first.
    </Empty>
  )
}
