import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buildAgent } from '#scripts/build-agent.ts'
import { NOBODY } from '#tests/support/children.ts'

export interface Opened {
  code: string
  hub_key: string
}

/** Root's command on a server, with the code on the input; resolves with the whole output. */
export async function enrolByHand(
  state: string,
  server: number,
  { code, hub_key }: Opened,
): Promise<string> {
  const { file } = await buildAgent('.')
  const lower = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const args = ['enrol', '--hub-key', hub_key, '--server', String(server)]
  const child = spawn(file, args, { env: { AGENT_STATE_DIR: state }, stdio: 'pipe', ...lower })
  child.stdin.end(`${code}\n`)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  await once(child, 'close')
  return output.trim()
}
