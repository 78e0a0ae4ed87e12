import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Api } from '#scripts/lib/api.ts'
import { must } from '#scripts/lib/run.ts'
import { Enrolment } from '#shared/api/enrolment.ts'
import type { Options } from './options.ts'

const AGENT_HOST = '127.0.0.1'

const Listed = z.object({
  servers: z.array(z.object({ id: z.number(), hostname: z.string(), port: z.number() })),
})
const Created = z.object({ server: z.object({ id: z.number() }) })

/** The id of the server whose agent listens here on `agent_port`; registers it if it is missing. */
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

/**
 * Enrols the agent of this machine with the dashboard, as on any other server: with a code on its
 * standard input.
 */
export async function enrolThisMachine(
  api: Api,
  id: number,
  { root, agent_state_dir }: Pick<Options, 'root' | 'agent_state_dir'>,
): Promise<void> {
  const { body } = await api.call('POST', `/api/servers/${id}/enrolment`)
  const { code, hub_key } = z.object({ enrolment: Enrolment }).parse(body).enrolment
  const program = [join(root, 'dist/hosting-agent'), 'enrol']
  await must([...program, '--server', String(id), '--hub-key', hub_key], {
    env: { AGENT_STATE_DIR: agent_state_dir },
    input: `${code}\n`,
  })
}

/** Makes the dashboard's records agree with the machine; returns the number of its sites. */
export async function syncThisMachine(api: Api, id: number): Promise<number> {
  const { sites } = await api.follow('POST', `/api/servers/${id}/sync`)
  return Number(sites)
}
