import process from 'node:process'
import { createApp } from './app.ts'
import { commands } from './commands/index.ts'
import { type Config, readConfig } from './config.ts'
import { realHost } from './host/real.ts'
import { listen } from './http/listen.ts'
import { recover } from './operations/recovery.ts'
import { Runner } from './operations/runner.ts'
import { readingsOf } from './os/readings.ts'
import { gate } from './trust/gate.ts'

const USAGE = `hosting-agent: runs typed commands on this server for a Hosting Control dashboard

  hosting-agent serve      answer on AGENT_LISTEN (127.0.0.1:8443)
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
  await recover(host, commands, runner.store)
  const app = createApp({
    runner,
    readings: readingsOf(host),
    authenticate: gate(config.auth),
    report: (error) => log('error', { error: describe(error) }),
  })
  const server = await listen(app, config.address, config.port)
  const shown = config.address.includes(':') ? `[${config.address}]` : config.address
  console.log(`listening on http://${shown}:${server.port}`)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void server.stop().finally(() => process.exit(0)))
  }
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

const [name = 'help'] = process.argv.slice(2)
if (name === 'serve') {
  let config: Config
  try {
    config = readConfig(process.env)
  } catch (error) {
    stop(2, error instanceof Error ? error.message : String(error))
  }
  await serve(config).catch((error) => stop(1, readable(error)))
} else if (name === 'version') {
  console.log(readConfig({}).settings.version)
} else {
  console.log(USAGE)
  if (name !== 'help') process.exit(2)
}
