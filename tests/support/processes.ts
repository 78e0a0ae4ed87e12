import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'

const ROOT = join(import.meta.dir, '../..')
const READY_MS = 20_000
const NOBODY = 65_534

/** A program of ours that said `listening on <url>`. */
export interface Running {
  url: string
  port: number
  pid: number
  /** All that it has printed so far. */
  output: { out: string; err: string }
  /** SIGTERM; resolves with the exit status, rejects when it takes longer than 10 s. */
  stop(): Promise<number>
  /** SIGKILL: as if the machine had lost its power. */
  kill(): Promise<void>
}

export interface Ended {
  code: number | null
  out: string
  err: string
}

export type Environment = Record<string, string>
interface Options {
  env?: Environment
  /** Without root's rights, whoever runs the tests. */
  unprivileged?: boolean
}

/** The runtimes that the agent ships for; each gives the arguments in front of `serve`. */
export const AGENT_RUNTIMES = {
  'the executable': async () => [(await buildAgent(ROOT)).file],
  'deno run': async () => [
    await denoProgram(),
    ...['run', '-A', '--no-remote', '--node-modules-dir=manual', join(ROOT, 'agent/main.ts')],
  ],
} as const
export type AgentRuntime = keyof typeof AGENT_RUNTIMES
export const agentRuntimes = Object.keys(AGENT_RUNTIMES) as AgentRuntime[]

/**
 * An agent that can read this machine and cannot change it: it runs as nobody even when the tests
 * run as root, so that no mistake in a test installs or removes anything.
 */
export async function startAgent(runtime: AgentRuntime, env: Environment = {}): Promise<Running> {
  const state = env.AGENT_STATE_DIR ?? (await temporaryFolder('agent'))
  const argv = [...(await AGENT_RUNTIMES[runtime]()), 'serve']
  const own = { AGENT_LISTEN: '127.0.0.1:0', AGENT_AUTH: 'none', AGENT_STATE_DIR: state }
  return listening(argv, { env: { ...own, ...env, HOME: state }, unprivileged: true })
}

/** The program itself: the script in .bin does not pass signals on. */
async function denoProgram(): Promise<string> {
  const found = await Array.fromAsync(new Bun.Glob('node_modules/@deno/*/deno').scan({ cwd: ROOT }))
  if (found[0] === undefined) throw new Error('deno is not installed')
  return join(ROOT, found[0])
}

/** Runs the agent with these arguments until it ends by itself. */
export async function runAgent(
  runtime: AgentRuntime,
  args: readonly string[],
  env: Environment = {},
): Promise<Ended> {
  const state = await temporaryFolder('agent')
  const argv = [...(await AGENT_RUNTIMES[runtime]()), ...args]
  return toItsEnd(argv, {
    env: { HOME: state, AGENT_STATE_DIR: state, ...env },
    unprivileged: true,
  })
}

export const ADMIN = { email: 'ann@control.example', password: 'correct horse battery staple' }

/** The dashboard on a free port of 127.0.0.1, with its records in `data_dir`. */
export function startDashboard(data_dir: string, env: Environment = {}): Promise<Running> {
  return listening(dashboardArgv, { env: { ...dashboardEnvironment(data_dir), ...env } })
}

/** Runs the dashboard until it ends by itself. */
export function runDashboard(data_dir: string, env: Environment = {}): Promise<Ended> {
  return toItsEnd(dashboardArgv, { env: { ...dashboardEnvironment(data_dir), ...env } })
}

const dashboardArgv = [process.execPath, join(ROOT, 'dashboard/main.ts')]

function dashboardEnvironment(data_dir: string): Environment {
  const { email, password } = ADMIN
  return { PORT: '0', DATA_DIR: data_dir, ADMIN_EMAIL: email, ADMIN_PASSWORD: password }
}

const folders: string[] = []
const children = new Set<ChildProcess>()

/** An empty folder that anybody may use; it goes away with the test run. */
export async function temporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `hosting-control-${name}-`))
  folders.push(folder)
  await chmod(folder, 0o777)
  if (process.getuid?.() === 0) await chown(folder, NOBODY, NOBODY)
  return folder
}

/** Ends and removes all that this module made; also when a test has failed half-way. */
export async function sweep(): Promise<void> {
  for (const child of children) child.kill('SIGKILL')
  const gone = folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true }))
  await Promise.all(gone)
}

process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

async function toItsEnd(argv: readonly string[], options: Options): Promise<Ended> {
  const { output, ended } = begin(argv, options)
  return { code: await within(READY_MS, ended, () => `still runs: ${output.out}`), ...output }
}

async function listening(argv: readonly string[], options: Options): Promise<Running> {
  const { child, output, ended, changed } = begin(argv, options)
  let gone = false
  void ended.then(() => {
    gone = true
  })
  const found = (async () => {
    for (;;) {
      const url = /^listening on (https?:\S+)$/m.exec(output.out)?.[1]
      if (url) return new URL(url)
      if (gone) throw new Error(`${argv.join(' ')} ended:\n${output.out}${output.err}`)
      await Promise.race([changed(), ended])
    }
  })()
  const url = await within(READY_MS, found, () => `not ready: ${output.out}${output.err}`)
  return {
    url: url.origin,
    port: Number(url.port),
    pid: child.pid ?? 0,
    output,
    async stop() {
      child.kill('SIGTERM')
      return (await within(10_000, ended, () => 'SIGTERM did not end it')) ?? -1
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
  const child = spawn(program, args, { env: { PATH, ...env }, cwd: tmpdir(), ...lower })
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
