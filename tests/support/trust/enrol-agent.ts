import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buildAgent } from '#scripts/build-agent.ts'
import { NOBODY } from '#tests/support/children.ts'

export interface Enrolment {
  code: string
  lines: { machine: string; line: string }[]
}

/** Runs the line's enrolment after the installation of the agent, with the code on its input. */
export async function enrolAgent({ code, lines }: Enrolment, state: string): Promise<string> {
  const args = /hosting-agent (enrol .*)$/.exec(lines[0]?.line ?? '')?.[1]?.split(' ') ?? []
  return runEnrolment(args, code, state)
}

/** Resolves with the whole output of the agent, which gets the code on its input. */
export async function runEnrolment(
  args: readonly string[],
  code: string,
  state: string,
): Promise<string> {
  const { file } = await buildAgent('.')
  const options = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const env = { AGENT_STATE_DIR: state }
  const child = spawn(file, args, { env, stdio: 'pipe', ...options })
  child.stdin.end(`${code}\n`)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  await once(child, 'close')
  return output
}
