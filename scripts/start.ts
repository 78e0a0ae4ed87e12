import { readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { Enrolment } from '#shared/servers/api/enrolment.ts'
import { Api, messageOf } from './lib/api.ts'
import { fail, reasonOf } from './lib/fail.ts'
import { must } from './lib/run.ts'
import { HELP, type Options, readOptions } from './start/options.ts'
import type { Child } from './start/programs.ts'
import { callable, type Login, type Programs, startPrograms } from './start/programs.ts'
import { provideSite } from './start/site.ts'

const children: Child[] = []

/** Runs everything on this machine: starts what does not run, and applies the options. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env, join(import.meta.dir, '..'))
  if (!options) return console.log(HELP)
  if (await isRunning(options)) return useRunning(options)
  if (options.site && !options.superuser) {
    throw new Error('--site needs root: a site has a system user, services and configuration')
  }

  const stopped = Promise.withResolvers<undefined>()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stopped.resolve(undefined))
  }
  const run = startPrograms(options, children).then(async (programs) => {
    await introduce(options, programs)
    return await programs.ended
  })
  const failure = await Promise.race([stopped.promise, run])
  await stopAll()
  if (failure === undefined) process.exit(0)
  throw new Error(failure)
}

/** Prints the login first, since it is known only now; then registers and syncs this machine. */
async function introduce(options: Options, { url, first_login }: Programs): Promise<void> {
  console.log(`\nHosting Control is running: ${url}`)
  if (first_login) {
    console.log(`  login:    ${first_login.email}`)
    console.log(`  password: ${first_login.password}   (shown only once)`)
  }
  console.log(`  data:     ${options.data_dir}`)
  const api = await openApi(url, options.data_dir, first_login ?? options.admin)
  const machine = api ? await readMachine(api, options) : undefined
  console.log(machine ? `  machine:  ${machine.status}` : NO_LOGIN)
  console.log(options.superuser ? ROOT_HINT : USER_HINT)
  if (!options.site || !api || !machine) return
  await provideSite(api, machine.id, options.site).catch((error: unknown) => {
    console.error(`error: the site ${options.site?.domain} was not created: ${reasonOf(error)}`)
  })
}

async function readMachine(api: Api, options: Options) {
  const id = await registerThisMachine(api, options.agent_port)
  // Refused at the first start, and after one of the two has lost its data.
  const sync = () => syncThisMachine(api, id)
  const first = sync().catch(() => enrolThisMachine(api, id, options).then(sync))
  const status = await first.then(
    (sites) => `registered, ${sites} ${sites === 1 ? 'site' : 'sites'}`,
    (error: unknown) => `registered, but not synced: ${reasonOf(error)}`,
  )
  return { id, status }
}

const NO_LOGIN =
  '  machine:  not registered: start again with ADMIN_EMAIL and ADMIN_PASSWORD of a user'
const ROOT_HINT =
  '\nA WordPress site on this machine: sh scripts/start.sh --site example.test (in another shell)\n' +
  'Ctrl-C stops everything; the next run uses the same data.'
const USER_HINT =
  '\nNot root: this machine can be read, but provisioning it and creating sites need root.\n' +
  'Ctrl-C stops everything; the next run uses the same data.'

/** A dashboard answers every call without a login in the same way. */
async function isRunning({ host, port }: Options): Promise<boolean> {
  const answer = await new Api(addressOf(host, port), {})
    .request('GET', '/api/servers')
    .catch(() => {})
  const { error } = (answer?.body ?? {}) as { error?: unknown }
  return answer?.status === 401 && error === 'Unauthorized'
}

async function useRunning({ host, port, data_dir, admin, ...options }: Options): Promise<void> {
  const url = addressOf(host, port)
  const api = await openApi(url, data_dir, admin)
  if (!api) {
    throw new Error(
      `another dashboard runs at ${url}: choose a port with PORT=${port + 1}, or its DATA_DIR`,
    )
  }
  console.log(`Hosting Control is running already: ${url}`)
  if (!options.site) return
  await provideSite(api, await registerThisMachine(api, options.agent_port), options.site)
}

function addressOf(host: string, port: number): string {
  return callable(`http://${host.includes(':') ? `[${host}]` : host}:${port}`)
}

async function stopAll(): Promise<void> {
  await Promise.all(children.map((child) => child.stop()))
}

const CreatedToken = z.object({ plaintext: z.string().min(1) })

/**
 * Returns the dashboard's API as its administrator: with the token of the first start in DATA_DIR,
 * otherwise by a login, which stores one. Undefined without token and login.
 */
async function openApi(
  url: string,
  data_dir: string,
  login: Login | undefined,
): Promise<Api | undefined> {
  const file = join(data_dir, 'start-token')
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (kept !== '') {
    const api = withToken(url, kept)
    const { status } = await api.request('GET', '/api/settings')
    if (status === 200) return api
  }
  if (!login) return undefined
  const token = await createToken(url, login)
  await writeFile(file, `${token}\n`, { mode: 0o600 })
  return withToken(url, token)
}

async function createToken(url: string, login: Login): Promise<string> {
  const answer = await new Api(url, {}).request('POST', '/api/auth/login', login)
  if (answer.status !== 200)
    throw new Error(`the login as ${login.email} failed: ${messageOf(answer)}`)
  const cookie = answer.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const api = new Api(url, { cookie })
  const created = await api.call('POST', '/api/auth/tokens', {
    name: 'scripts/start.sh',
    password: login.password,
    scope: 'admin',
    expires_in_days: 365,
  })
  await api.request('POST', '/api/auth/logout')
  return CreatedToken.parse(created.body).plaintext
}

function withToken(url: string, token: string): Api {
  return new Api(url, { authorization: `Bearer ${token}` })
}

const AGENT_HOST = '127.0.0.1'

const Listed = z.object({
  servers: z.array(z.object({ id: z.number(), hostname: z.string(), port: z.number() })),
})
const Created = z.object({ server: z.object({ id: z.number() }) })

/** Returns the id of the server on `agent_port`, which it registers if it is missing. */
async function registerThisMachine(api: Api, agent_port: number): Promise<number> {
  const { servers } = Listed.parse((await api.call('GET', '/api/servers')).body)
  const known = servers.find(({ hostname, port }) => hostname === AGENT_HOST && port === agent_port)
  if (known) return known.id
  const answer = await api.call('POST', '/api/servers', {
    name: hostname().slice(0, 64),
    hostname: AGENT_HOST,
    port: agent_port,
  })
  return Created.parse(answer.body).server.id
}

/** Enrols the agent of this machine with a code on its standard input, as on any server. */
async function enrolThisMachine(
  api: Api,
  id: number,
  { root, agent_state_dir }: Pick<Options, 'root' | 'agent_state_dir'>,
): Promise<void> {
  const { body } = await api.call('POST', `/api/servers/${id}/enrolment`)
  const { code, hub_key } = z.object({ enrolment: Enrolment }).parse(body).enrolment
  const program = [join(root, 'dist/hosting-agent'), 'enrol']
  await must([...program, '--server', String(id), '--hub-key', hub_key], {
    env: { AGENT_STATE_DIR: agent_state_dir },
    input: `${code}\n`,
  })
}

/** Makes the dashboard's records agree with the machine; returns the number of its sites. */
async function syncThisMachine(api: Api, id: number): Promise<number> {
  const { sites } = await api.follow('POST', `/api/servers/${id}/sync`)
  return Number(sites)
}

await main().catch(async (error: unknown) => {
  await stopAll()
  fail(error)
})
