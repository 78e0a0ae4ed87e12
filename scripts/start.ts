import { join } from 'node:path'
import { Api } from './lib/api.ts'
import type { Child } from './lib/child.ts'
import { fail, reasonOf } from './lib/fail.ts'
import { openApi } from './start/login.ts'
import { HELP, type Options, readOptions } from './start/options.ts'
import { callable, type Programs, startPrograms } from './start/programs.ts'
import { enrolThisMachine, registerThisMachine, syncThisMachine } from './start/server.ts'
import { provideSite } from './start/site.ts'

const children: Child[] = []

/** Everything on this machine: starts what is not running yet, and carries out the options. */
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

await main().catch(async (error: unknown) => {
  await stopAll()
  fail(error)
})
