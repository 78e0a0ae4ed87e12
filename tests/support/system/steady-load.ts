import { join } from 'node:path'
import type { Host } from '#tests/support/lab/index.ts'
import type { Answers } from './load.ts'

interface Asking {
  domain: string
  path: string
  /** The beginning of each good answer. */
  expected: string
  per_second: number
}

interface Sent extends Answers {
  /** The requests of a second, on average; a loaded machine sends fewer than were wanted. */
  reached: number
}

/** A load from one process, without one for each request: for many requests a second. */
export function startSteadyLoad(host: Host, asking: Asking) {
  const child = startClient(host, asking)
  return { stop: () => sentBy(child) }
}

/** A visitor who asks only during the works that matter. */
export function startVisitor(host: Host, asking: Asking) {
  const child = startClient(host, asking, 'visitor')
  const turn = (line: 'on' | 'off') => {
    child.stdin.write(`${line}\n`)
    child.stdin.flush()
  }
  return {
    async during<T>(work: () => Promise<T>): Promise<T> {
      turn('on')
      return work().finally(() => turn('off'))
    },
    stop: () => sentBy(child),
  }
}

function startClient(host: Host, { domain, path, expected, per_second }: Asking, kind = 'load') {
  const client = join(import.meta.dir, 'steady-client.ts')
  const args = [domain, path, expected, String(per_second), kind]
  const argv = ['ip', 'netns', 'exec', host.netns, process.execPath, client, ...args]
  return Bun.spawn(argv, { stdio: ['pipe', 'pipe', 'inherit'] })
}

async function sentBy(child: ReturnType<typeof startClient>): Promise<Sent> {
  child.stdin.end()
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('The load ended by itself')
  return JSON.parse(text) as Sent
}
