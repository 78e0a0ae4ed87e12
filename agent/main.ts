import process from 'node:process'
import { enrol } from './cli/enrol.ts'
import { install, uninstall } from './cli/install.ts'
import { status } from './cli/status.ts'
import { switchOver } from './cli/switch.ts'
import { revoke, trust } from './cli/trust.ts'
import { units } from './cli/units.ts'
import { type Config, readConfig } from './config.ts'
import type { Host } from './host/ports.ts'
import { reach } from './host/reach.ts'
import { realHost } from './host/real.ts'
import { describe } from './log.ts'
import { front, root, serve } from './start.ts'

const USAGE = `hosting-agent: runs typed commands on this server for a Hosting Control dashboard

  hosting-agent serve      answer on AGENT_LISTEN (127.0.0.1:8443)
  hosting-agent front      the half of it that listens, without privileges, and
  hosting-agent root       the half of it that works: systemd starts these two
  hosting-agent enrol      let a dashboard take this server over, with the code that it shows
  hosting-agent install    run as two systemd services from now on
  hosting-agent uninstall  remove the agent, and leave the sites as they are
  hosting-agent status     say whom this agent obeys
  hosting-agent trust      put a new key in the place of the dashboard's
  hosting-agent revoke     obey no dashboard any more
  hosting-agent version    print the version
`

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

/** What runs until it is stopped. */
const GOES_ON: Record<string, (config: Config) => Promise<void>> = { serve, front, root, reach }

/** The commands that do something and end; each returns what it has to say. */
const ONCE: Record<string, (config: Config, host: Host, args: string[]) => Promise<string>> = {
  enrol,
  install,
  revoke,
  status,
  switch: switchOver,
  trust,
  uninstall,
  units,
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
if (Object.hasOwn(GOES_ON, name)) {
  await GOES_ON[name]?.(configured()).catch((error: unknown) => stop(1, readable(error)))
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
