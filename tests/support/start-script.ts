import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

const READY_MS = 180_000
const READY = 'Ctrl-C stops everything'

export interface Script {
  pid: number
  output(): string
  /** The pids of its programs. */
  children(): number[]
  /** Ctrl-C, or another signal; resolves with the exit status. */
  end(signal?: NodeJS.Signals): Promise<number | null>
  ended: Promise<number | null>
}

/** `sh scripts/start.sh` as a user runs it. Its agent has no source of WordPress. */
export function startScript(env: Record<string, string>, args: readonly string[] = []): Script {
  const child = spawn('sh', ['scripts/start.sh', ...args], {
    env: { ...process.env, AGENT_WORDPRESS_URL: 'file:///nowhere', NODE_ENV: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = statusOf(child)
  const pid = child.pid ?? 0
  return {
    pid,
    ended,
    output: () => Buffer.concat(chunks).toString(),
    children: () =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
        .split(' ')
        .filter(Boolean)
        .map(Number),
    end: (signal = 'SIGINT') => {
      child.kill(signal)
      return ended
    },
  }
}

/** Resolves when it reports that everything runs. Rejects with its output if it ends first. */
export async function untilReady(script: Script): Promise<string> {
  const deadline = Date.now() + READY_MS
  let over = false
  script.ended.finally(() => {
    over = true
  })
  while (!script.output().includes(READY)) {
    if (over || Date.now() > deadline) throw new Error(`not ready:\n${script.output()}`)
    await Bun.sleep(20)
  }
  return script.output()
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

async function statusOf(child: ChildProcess): Promise<number | null> {
  const [status] = await once(child, 'close')
  return status
}
