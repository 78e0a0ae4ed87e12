import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const RELAY = fileURLToPath(new URL('./relay.mjs', import.meta.url))

export interface Process {
  child: ChildProcess
  /** All lines printed so far. */
  lines: string[]
  stop(signal?: NodeJS.Signals): Promise<void>
}

/**
 * Runs one of this machine's programs on a host's network and waits for a matching line. Rejects
 * with all it printed when it ends before that.
 */
export async function startInside(
  netns: string,
  argv: readonly string[],
  ready: RegExp,
  env: Record<string, string> = {},
): Promise<Process> {
  const child = spawn('ip', ['netns', 'exec', netns, ...argv], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const seen = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      if (ready.test(line)) seen.resolve()
    })
  }
  child.once('close', () => seen.reject(new Error(`${argv.join(' ')} ended:\n${lines.join('\n')}`)))
  await seen.promise
  seen.promise.catch(() => undefined)
  return {
    child,
    lines,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return
      const closed = once(child, 'close')
      child.kill(signal)
      await closed
    },
  }
}

/** A `fetch` that connects on the host's network, to one address there. */
export async function reach(netns: string, socket: string, address: string, port: number) {
  const argv = [process.execPath, RELAY, socket, address, String(port)]
  const relay = await startInside(netns, argv, /^ready$/)
  return {
    stop: () => relay.stop('SIGKILL'),
    fetch: (url: string, options: RequestInit = {}) =>
      fetch(url, { ...options, unix: socket, redirect: 'manual' } as RequestInit),
  }
}
