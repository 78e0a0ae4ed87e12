import { chmod, readFile, writeFile } from 'node:fs/promises'
import { SignedAgent } from './attack.ts'
import { type AgentRuntime, type Running, startAgent, temporaryFolder } from './processes.ts'

/** An agent as systemd runs it: one process that listens, and another one that works. */
export interface Halves {
  /** Called through the network, that is through the front. */
  agent: SignedAgent
  front: Running
  root: Running
  socket: string
  /** The root half in a new process. */
  restartRoot(): Promise<void>
}

export async function startHalves(runtime: AgentRuntime): Promise<Halves> {
  const run = await temporaryFolder('run')
  const env = { AGENT_AUTH: 'signed', AGENT_RUN_DIR: run }
  const starting = (state: string) =>
    startAgent(runtime, { ...env, AGENT_STATE_DIR: state }, 'root')
  let root: Running | undefined
  const agent = await SignedAgent.start(undefined, async (state) => {
    root = await starting(state)
    const credentials = { CREDENTIALS_DIRECTORY: await credentialsOf(state) }
    return startAgent(runtime, { ...env, ...credentials, AGENT_STATE_DIR: state }, 'front')
  })
  if (!root) throw new Error('the root half did not start')
  const halves: Halves = {
    agent,
    front: agent.running,
    root,
    socket: `${run}/root.sock`,
    async restartRoot() {
      await halves.root.kill()
      halves.root = await starting(agent.state)
    },
  }
  return halves
}

/** The file of systemd's LoadCredential=. */
async function credentialsOf(state: string): Promise<string> {
  const folder = await temporaryFolder('credentials')
  const { tls_key, certificate } = JSON.parse(
    await readFile(`${state}/trust/identity.json`, 'utf8'),
  )
  await writeFile(`${folder}/tls.key`, String(tls_key))
  await writeFile(`${folder}/tls.crt`, String(certificate))
  for (const name of ['tls.key', 'tls.crt']) await chmod(`${folder}/${name}`, 0o644)
  return folder
}
