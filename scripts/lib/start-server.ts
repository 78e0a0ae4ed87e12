import { hostname } from 'node:os'
import { z } from 'zod'
import type { Api } from './api.ts'

const AGENT_HOST = '127.0.0.1'

const Listed = z.object({
  servers: z.array(z.object({ id: z.number(), hostname: z.string(), port: z.number() })),
})
const Created = z.object({ server: z.object({ id: z.number() }) })

/** The id of the server whose agent answers here on `agent_port`; registers it when there is none. */
export async function registerThisMachine(api: Api, agent_port: number): Promise<number> {
  const { servers } = Listed.parse((await api.call('GET', '/api/servers')).body)
  const known = servers.find(({ hostname, port }) => hostname === AGENT_HOST && port === agent_port)
  if (known) return known.id
  const answer = await api.call('POST', '/api/servers', {
    name: hostname().slice(0, 64),
    hostname: AGENT_HOST,
    port: agent_port,
  })
  return Created.parse(answer.body).server.id
}

/** Makes the dashboard's records agree with the machine; returns the number of sites on it. */
export async function syncThisMachine(api: Api, id: number): Promise<number> {
  const { sites } = await api.follow('POST', `/api/servers/${id}/sync`)
  return Number(sites)
}
