import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'
import { buildDashboard } from '#scripts/build-dashboard.ts'
import {
  type Ended,
  type Environment,
  killAll,
  killable,
  listening,
  NOBODY,
  type Running,
  runToEnd,
} from './children.ts'
import { ADMIN, copyRecords } from './records.ts'
import { inTurn } from './turns.ts'

const ROOT = join(import.meta.dir, '../..')

export type { Environment, Running }

/** The supported runtimes of the agent, each with the arguments in front of `serve`. */
const AGENT_RUNTIMES = {
  'the executable': async () => [await executable()],
  'deno run': async () => [
    await denoProgram(),
    ...['run', '-A', '--no-remote', '--node-modules-dir=manual', join(ROOT, 'agent/main.ts')],
  ],
} as const
export type AgentRuntime = keyof typeof AGENT_RUNTIMES

/** The runtimes on which a subject is tested: both; in the gate one, in turns. */
export const runtimesOf = (subject: string): readonly AgentRuntime[] =>
  inTurn(Object.keys(AGENT_RUNTIMES) as AgentRuntime[], subject)

/**
 * An agent that can only read this machine: it runs as nobody even if the tests run as root, so
 * that no mistake in a test installs or removes anything.
 */
export async function startAgent(
  runtime: AgentRuntime,
  env: Environment = {},
  what: 'serve' | 'root' | 'front' | 'mail' = 'serve',
): Promise<Running> {
  const state = env.AGENT_STATE_DIR ?? (await temporaryFolder('agent'))
  const argv = [...(await AGENT_RUNTIMES[runtime]()), what]
  const own = { AGENT_LISTEN: '127.0.0.1:0', AGENT_AUTH: 'none-for-tests', AGENT_STATE_DIR: state }
  return listening(argv, { env: { ...own, ...env, ...(await homes(state)) }, unprivileged: true })
}

let built: ReturnType<typeof buildAgent> | undefined

/** Built if missing or older than its sources; checked once per test run. */
async function executable(): Promise<string> {
  built ??= buildAgent(ROOT)
  return (await built).file
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
  input?: string,
): Promise<Ended> {
  const state = await temporaryFolder('agent')
  const argv = [...(await AGENT_RUNTIMES[runtime]()), ...args]
  return runToEnd(argv, {
    env: { AGENT_STATE_DIR: state, ...env, ...(await homes(state)) },
    unprivileged: true,
    ...(input === undefined ? {} : { input }),
  })
}

/** Deno compiles the agent once for all starts in all test files. */
async function homes(state: string): Promise<Environment> {
  cache ??= folderForAll(join(ROOT, 'dist/tests/deno'))
  return { HOME: state, DENO_DIR: await cache }
}

let cache: Promise<string> | undefined

async function folderForAll(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  await opened(folder)
  return folder
}

export { ADMIN }

/** The dashboard on a free port of 127.0.0.1, with its records in `data_dir`. */
export async function startDashboard(data_dir: string, env: Environment = {}): Promise<Running> {
  return listening(await dashboardArgv(), { env: { ...dashboardEnvironment(data_dir), ...env } })
}

/** Runs the dashboard until it ends by itself. */
export async function runDashboard(data_dir: string, env: Environment = {}): Promise<Ended> {
  return runToEnd(await dashboardArgv(), { env: { ...dashboardEnvironment(data_dir), ...env } })
}

/** Runs one of its commands, such as `backup`, until it ends by itself. */
export async function runRecords(
  data_dir: string,
  args: readonly string[],
  env: Environment = {},
): Promise<Ended> {
  return runToEnd([...(await dashboardArgv()), ...args], { env: { DATA_DIR: data_dir, ...env } })
}

/** The same, for a test that ends it. */
export async function startRecords(data_dir: string, args: readonly string[]) {
  return killable([...(await dashboardArgv()), ...args], { env: { DATA_DIR: data_dir } })
}

let dashboard: ReturnType<typeof buildDashboard> | undefined

async function dashboardArgv(): Promise<readonly string[]> {
  dashboard ??= buildDashboard(ROOT)
  return [(await dashboard).file]
}

function dashboardEnvironment(data_dir: string): Environment {
  const { email, password } = ADMIN
  return { PORT: '0', DATA_DIR: data_dir, ADMIN_EMAIL: email, ADMIN_PASSWORD: password }
}

const folders: string[] = []

/** An empty folder for all users; removed with the test run. */
export async function temporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `hosting-control-${name}-`))
  folders.push(folder)
  await opened(folder)
  return folder
}

/** Also for the agents' user. */
async function opened(folder: string): Promise<void> {
  await chmod(folder, 0o777)
  if (process.getuid?.() === 0) await chown(folder, NOBODY, NOBODY)
}

/** For a dashboard after its first start: it has tables and the first user (ADMIN). */
export async function dashboardFolder(others: readonly string[] = []): Promise<string> {
  const folder = await temporaryFolder('dashboard')
  await copyRecords(`${folder}/dashboard.db`, others)
  return folder
}

/** Ends and removes all that this module made, also after a failed test. */
export async function sweep(): Promise<void> {
  killAll()
  const gone = folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true }))
  await Promise.all(gone)
}
