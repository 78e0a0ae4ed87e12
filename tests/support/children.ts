import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'

const READY_MS = 90_000
/** The user and group without any files. */
export const NOBODY = 65_534

/** A program of ours that has printed `listening on <url>`. */
export interface Running {
  url: string
  port: number
  pid: number
  /** Its output so far. */
  output: { out: string; err: string }
  /** SIGTERM; resolves with the exit status, rejects when it takes longer than 10 s. */
  stop(): Promise<number>
  /** SIGKILL: like a power failure. */
  kill(): Promise<void>
}

export interface Ended {
  code: number | null
  out: string
  err: string
}

export type Environment = Record<string, string>
export interface Options {
  env?: Environment
  /** Without root's rights, for any user of the tests. */
  unprivileged?: boolean
  /** The time limit for the start. */
  ready_ms?: number
  /** Its whole standard input; without it the input stays open. */
  input?: string
}

/** The engine's settings of this run apply to its child programs too. */
const engine = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith('BUN_JSC_') && value !== undefined ? [[name, value]] : [],
  ),
)

const children = new Set<ChildProcess>()

/** Ends the running programs, whose children end with them. */
export function killAll(): void {
  for (const child of children) child.kill('SIGKILL')
}

process.on('exit', killAll)

/** Runs a program until it ends by itself. */
export async function runToEnd(argv: readonly string[], options: Options): Promise<Ended> {
  const { child, output, ended } = begin(argv, options)
  if (options.input !== undefined) child.stdin.end(options.input)
  return { code: await within(READY_MS, ended, () => `still runs: ${output.out}`), ...output }
}

/** Starts a program that is killed before its end, or just after it. */
export function killable(argv: readonly string[], options: Options): { kill(): Promise<void> } {
  const { child, ended } = begin(argv, options)
  return {
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Starts a program and waits for its line `listening on <url>`. */
export async function listening(argv: readonly string[], options: Options): Promise<Running> {
  const { child, output, ended, changed } = begin(argv, options)
  let gone = false
  void ended.then(() => {
    gone = true
  })
  const found = (async () => {
    for (;;) {
      const url = /^listening on ((?:https?|unix):\S+)$/m.exec(output.out)?.[1]
      if (url) return new URL(url)
      if (gone) throw new Error(`${argv.join(' ')} ended:\n${output.out}${output.err}`)
      await Promise.race([changed(), ended])
    }
  })()
  const { ready_ms = READY_MS } = options
  const url = await within(ready_ms, found, () => `not ready: ${output.out}${output.err}`)
  return {
    url: url.origin,
    port: Number(url.port),
    pid: child.pid ?? 0,
    output,
    async stop() {
      child.kill('SIGTERM')
      return (await within(60_000, ended, () => 'SIGTERM did not end it')) ?? -1
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function begin(argv: readonly string[], { env = {}, unprivileged = false }: Options) {
  const [program = '', ...args] = argv
  const lower = unprivileged && process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const PATH = process.env.PATH ?? ''
  const child = spawn(program, args, { env: { PATH, ...engine, ...env }, cwd: tmpdir(), ...lower })
  children.add(child)
  const output = { out: '', err: '' }
  let wake = () => {}
  child.stdout.on('data', (chunk) => {
    output.out += chunk
    wake()
  })
  child.stderr.on('data', (chunk) => {
    output.err += chunk
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(code))
  }).finally(() => children.delete(child))
  const changed = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  return { child, output, ended, changed }
}

async function within<T>(ms: number, work: Promise<T>, message: () => string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`after ${ms} ms: ${message()}`)), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
