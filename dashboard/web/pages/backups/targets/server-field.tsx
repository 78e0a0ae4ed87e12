import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { Field, Select } from '#dashboard/web/ui/field.tsx'

/** The chosen server; before a choice the first one that is online. */
export function useServer() {
  const { data } = useQuery(fleetQuery)
  const [chosen, setChosen] = useState<number>()
  const servers = data?.servers ?? []
  const first = servers.find(({ status }) => status === 'online') ?? servers[0]
  return { servers, server: chosen ?? first?.id, setChosen }
}

/** `hint`: what the server does. */
export function ServerField({
  servers,
  server,
  setChosen,
  hint,
}: ReturnType<typeof useServer> & { hint: string }) {
  return (
    <Field
      label="Server"
      name="server"
      hint={servers.length === 0 ? 'There is no server yet.' : hint}
    >
      <Select value={server ?? ''} onChange={({ target: { value } }) => setChosen(Number(value))}>
        {servers.map(({ id, name, status }) => (
          <option key={id} value={id}>
            {status === 'online' ? name : `${name} (${status})`}
          </option>
        ))}
      </Select>
    </Field>
  )
}
