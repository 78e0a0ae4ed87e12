import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { SelectField } from '#dashboard/web/ui/field.tsx'

/**
 * The field for the server that does something, and the chosen one: at first one that is online.
 * `hint`: what the server does.
 */
export function useServerField(hint: string) {
  const { data } = useQuery(fleetQuery)
  const [chosen, setChosen] = useState<number>()
  const servers = data?.servers ?? []
  const first = servers.find(({ status }) => status === 'online') ?? servers[0]
  const server_id = chosen ?? first?.id
  const serverField = (
    <SelectField
      label="Server"
      name="server"
      hint={servers.length === 0 ? 'There is no server yet.' : hint}
      value={server_id}
      options={servers.map(({ id, name, status }) => ({
        value: id,
        name: status === 'online' ? name : `${name} (${status})`,
      }))}
      onChange={setChosen}
    />
  )
  return { server_id, serverField }
}
