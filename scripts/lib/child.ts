import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

const START_LIMIT_MS = 60_000
/** An agent may be in a step that must not be interrupted. */
const STOP_LIMIT_MS = 30_000

type ChildOptions = {
  name: string
  argv: readonly string[]
  cwd: string
  env: Record<string, string | undefined>
  /** Gets each line first; true keeps it off the screen. */
  onLine?: (line: string) => boolean
}

/**
 * A server that runs as long as this program does. Its output appears on the screen after its name.
 * It has its own session, so that Ctrl-C reaches it only as our orderly SIGTERM.
 */
export class Child {
  readonly name: string
  /** Resolves with a readable line when it ends, for any reason. */
  readonly ended: Promise<string>
  readonly #process: ChildProcess
  readonly #listening: Promise<string>

  constructor({ name, argv, cwd, env, onLine }: ChildOptions) {
    const [file = '', ...args] = argv
    this.name = name
    const child = spawn(file, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    this.#process = child
    this.ended = endOf(child).then((how) => `the ${name} ended (${how})`)
    const address = Promise.withResolvers<string>()
    this.#listening = address.promise
    eachLine(child.stdout, (line) => {
      const url = line.match(/^listening on (\S+)$/)?.[1]
      if (url !== undefined) address.resolve(url)
      else if (!onLine?.(line)) console.log(`[${name}] ${line}`)
    })
    eachLine(child.stderr, (line) => {
      if (!onLine?.(line)) console.error(`[${name}] ${line}`)
    })
  }

  /** Its address, when it is ready. Throws if it ends first or takes too long. */
  async listening(): Promise<string> {
    const first = await Promise.race([
      this.#listening.then((url) => ({ url })),
      this.ended.then((failure) => ({ failure })),
      Bun.sleep(START_LIMIT_MS).then(() => ({ failure: `the ${this.name} does not start` })),
    ])
    if ('url' in first) return first.url
    throw new Error(first.failure)
  }

  /** Lets the program complete its work, within limits. */
  async stop(): Promise<void> {
    this.#process.kill('SIGTERM')
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_LIMIT_MS)
    await this.ended
    clearTimeout(timer)
  }
}

async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [status, signal] = await once(child, 'exit')
    return signal ? `signal ${signal}` : `exit status ${status}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function eachLine(stream: Readable | null, use: (line: string) => void): void {
  if (stream) createInterface({ input: stream }).on('line', use)
}
