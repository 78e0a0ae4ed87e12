import process from 'node:process'
import { createApp } from './app.ts'
import { enrol } from './cli/enrol.ts'
import { install, uninstall } from './cli/install.ts'
import { status } from './cli/status.ts'
import { revoke, trust } from './cli/trust.ts'
import { commands } from './commands/index.ts'
import { type Config, readConfig } from './config.ts'
import type { Host } from './host/ports.ts'
import { realHost } from './host/real.ts'
import { listen } from './http/listen.ts'
import { recover } from './operations/recovery.ts'
import { Runner } from './operations/runner.ts'
import { readingsOf } from './os/readings.ts'
import { ensureServices } from './os/services/ensure.ts'
import { Policy } from './policy/policy.ts'
import { renewDaily } from './renewal.ts'
import { trustOf } from './trust/index.ts'

const USAGE = `hosting-agent: runs typed commands on this server for a Hosting Control dashboard

  hosting-agent serve      answer on AGENT_LISTEN (127.0.0.1:8443)
  hosting-agent enrol      let a dashboard take this server over, with the code that it shows
  hosting-agent install    run as a systemd service from now on
  hosting-agent uninstall  remove the agent, and leave the sites as they are
  hosting-agent status     say whom this agent obeys
  hosting-agent trust      put a new key in the place of the dashboard's
  hosting-agent revoke     obey no dashboard any more
  hosting-agent version    print the version
`

async function serve(config: Config): Promise<void> {
  const host = realHost(config.settings)
  await host.files.mkdir(config.state_dir, { mode: 0o711 })
  const runner = new Runner({
    host,
    commands,
    report: (error, operation_id) => log('error', { operation_id, error: describe(error) }),
  })
  const problems = host.privileged ? await ensureServices(host) : []
  for (const problem of problems) log('error', { error: problem })
  await recover(host, commands, runner.store)
  const { gate, enrolment, rotation, tls } = await trustOf(config, host)
  const app = createApp({
    runner,
    readings: readingsOf(host),
    gate,
    enrolment,
    rotation,
    policy: new Policy({ ...host, path: config.policy_file, store: runner.store }),
    report: (error) => log('error', { error: describe(error) }),
  })
  const server = await listen(app.fetch, { address: config.address, port: config.port, ...tls })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void server.stop().finally(() => process.exit(0)))
  }
  console.log(`listening on ${server.url}`)
  if (host.privileged)
    void renewDaily(host, runner, (error) => log('error', { error: describe(error) }))
}

function log(level: string, fields: object): void {
  console.error(JSON.stringify({ at: new Date().toISOString(), level, ...fields }))
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

/** One readable line that says what to do, for what an administrator can mend. */
function readable(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EADDRINUSE') return 'AGENT_LISTEN: the port is in use; choose another one'
  if (code === 'EACCES' || code === 'EPERM') {
    return 'AGENT_STATE_DIR or AGENT_LISTEN: not permitted; run as root, or choose others'
  }
  return describe(error)
}

function stop(status: number, message: string): never {
  console.error(`hosting-agent: ${message}`)
  process.exit(status)
}

/** The commands that do something and end; each returns what it has to say. */
const ONCE: Record<string, (config: Config, host: Host, args: string[]) => Promise<string>> = {
  enrol,
  install,
  revoke,
  status,
  trust,
  uninstall,
  version: async ({ settings }) => settings.version,
}

function configured(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    return stop(2, error instanceof Error ? error.message : String(error))
  }
}

const [name = 'help', ...args] = process.argv.slice(2)
if (name === 'serve') {
  await serve(configured()).catch((error) => stop(1, readable(error)))
} else if (Object.hasOwn(ONCE, name)) {
  const config = configured()
  const said = await ONCE[name]?.(config, realHost(config.settings), args).catch((error: unknown) =>
    stop(1, error instanceof Error ? error.message : String(error)),
  )
  console.log(said)
  process.exit(0)
} else {
  console.log(USAGE)
  if (name !== 'help') process.exit(2)
}
