import { type Running, startAgent, temporaryFolder } from '#tests/support/processes.ts'
import { type Enrolment, enrolAgent } from './enrol-agent.ts'

/** An agent that asks for signatures, with its state in a folder. */
export const startSigned = (state: string, port = 0): Promise<Running> =>
  startAgent('the executable', {
    ...{ AGENT_AUTH: 'signed', AGENT_LISTEN: `127.0.0.1:${port}`, AGENT_STATE_DIR: state },
  })

/** A client of a dashboard, or a dashboard of this process. */
interface Poster {
  post(path: string, body?: unknown): Promise<{ status: number; body: unknown }>
}

/** The id of a new server of the dashboard. */
export async function addServer(client: Poster, { port }: Running, name: string): Promise<number> {
  const { body } = await client.post('/api/servers', { hostname: '127.0.0.1', port, name })
  return Object(Object(body).server).id
}

/** An open enrolment of a server. */
export async function openEnrolment(client: Poster, server: number): Promise<Enrolment> {
  const { status, body } = await client.post(`/api/servers/${server}/enrolment`)
  if (status !== 201) throw new Error(`No enrolment of server ${server} was opened: ${status}`)
  return Object(body).enrolment
}

/** A server of a dashboard, and its agent, which trust each other. */
export interface Enrolled {
  id: number
  state: string
  agent: Running
}

export async function enrolled(client: Poster, name: string): Promise<Enrolled> {
  const state = await temporaryFolder(name)
  const agent = await startSigned(state)
  const id = await addServer(client, agent, name)
  await enrolAgent(await openEnrolment(client, id), state)
  return { id, state, agent }
}
