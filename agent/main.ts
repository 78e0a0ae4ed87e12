import process from 'node:process'
import { type Config, readConfig } from '#agent/kernel/config.ts'
import { ConfigError } from '#agent/kernel/host/errors.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { describe } from '#agent/kernel/log.ts'
import { withSettings } from '#agent/kernel/settings-file.ts'
import { messageOf } from '#shared/kernel/errors.ts'

const USAGE = `hosting-agent: runs typed commands on this server for a Hosting Control dashboard

  hosting-agent serve      answer on AGENT_LISTEN (127.0.0.1:8443)
  hosting-agent front      the unprivileged half, which listens on the network, and
  hosting-agent root       the privileged half, which runs the commands: systemd starts both
  hosting-agent mail       the mail queue of the sites: systemd starts this, too
  hosting-agent enrol      enrol this server in a dashboard, with the code that it shows
  hosting-agent install    run as two systemd services from now on
  hosting-agent uninstall  remove the agent, and keep the sites running; --dry-run only
                           lists the effects, --purge removes its records, too
  hosting-agent status     show the dashboard that this agent trusts
  hosting-agent trust      replace the keys of the dashboard with a new one
  hosting-agent revoke     trust no dashboard any more
  hosting-agent keeper     delete old backups beside the storage: keeper init creates its key,
                           keeper run runs once; --dry-run only lists what it would delete
  hosting-agent version    print the version
  hosting-agent notices    print the licenses of what this program contains
`

/** Returns one readable line with a solution, for errors that an administrator can correct. */
function readable(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EADDRINUSE') return 'AGENT_LISTEN: the port is in use; choose another one'
  if (code === 'EACCES' || code === 'EPERM') {
    return 'AGENT_STATE_DIR or AGENT_LISTEN: not permitted; run as root, or choose others'
  }
  return error instanceof ConfigError ? error.message : describe(error)
}

function stop(status: number, message: string): never {
  console.error(`hosting-agent: ${message}`)
  process.exit(status)
}

type LongRunning = (config: Config, args: string[]) => Promise<void>
type RunOnce = (config: Config, host: Host, args: string[]) => Promise<string>

/** The long-running programs, loaded on demand: an unknown command fails at once. */
const LONG_RUNNING: Record<string, () => Promise<LongRunning>> = {
  serve: async () => {
    const { serve } = await import('./start.ts')
    return (config) => serve(config)
  },
  front: async () => (await import('#agent/programs/front/serve.ts')).front,
  root: async () => (await import('./start.ts')).serveRoot,
  mail: async () => (await import('#agent/programs/mail/serve.ts')).mail,
  'mail-try': async () => (await import('#agent/programs/mail/send-test.ts')).mailTry,
  logs: async () => (await import('#agent/programs/logs/serve.ts')).logs,
  pages: async () => (await import('#agent/kernel/host/real/pages-helper.ts')).pages,
  reach: async () => (await import('#agent/kernel/host/real/network-helper.ts')).reach,
  tool: async () => (await import('#agent/kernel/host/real/tool-helper.ts')).tool,
  rewrite: async () => {
    const { rewrite } = await import('#agent/programs/rewrite/serve.ts')
    return (_, args) => rewrite(args)
  },
  scan: async () => {
    const { scan } = await import('#agent/kernel/scan/serve.ts')
    return (_, args) => scan(args)
  },
}

/** The commands that run once; each returns its output. */
const RUN_ONCE: Record<string, () => Promise<RunOnce>> = {
  keeper: async () => (await import('#agent/programs/cli/keeper.ts')).keeper,
  enrol: async () => (await import('#agent/programs/cli/enrol.ts')).enrol,
  install: async () => (await import('#agent/programs/cli/install.ts')).install,
  notices: async () => {
    const { THIRD_PARTY_NOTICES } = await import('#shared/kernel/third-party-notices.ts')
    return async () => THIRD_PARTY_NOTICES.trimEnd()
  },
  revoke: async () => (await import('#agent/programs/cli/trust.ts')).revoke,
  status: async () => (await import('#agent/programs/cli/status.ts')).status,
  storage: async () => (await import('#agent/programs/storage/serve.ts')).storage,
  switch: async () => (await import('#agent/programs/cli/switch.ts')).switchOver,
  trust: async () => (await import('#agent/programs/cli/trust.ts')).trust,
  uninstall: async () => (await import('#agent/programs/cli/uninstall.ts')).uninstall,
  units: async () => (await import('#agent/programs/cli/units.ts')).units,
  version: async () => async (config) => config.settings.version,
}

function configured(environment: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(environment)
  } catch (error) {
    return stop(2, messageOf(error))
  }
}

async function runLong(name: string, args: string[]): Promise<void> {
  const config = configured(process.env)
  const run = await LONG_RUNNING[name]?.()
  await run?.(config, args).catch((error: unknown) => stop(1, readable(error)))
}

async function runOnce(name: string, args: string[]): Promise<void> {
  const config = configured(withSettings(process.env))
  const [run, { realHost }] = await Promise.all([RUN_ONCE[name]?.(), import('./real-host.ts')])
  const output = await run?.(config, realHost(config.settings), args).catch((error: unknown) =>
    stop(1, messageOf(error)),
  )
  console.log(output)
  process.exit(0)
}

const [name = 'help', ...args] = process.argv.slice(2)
if (Object.hasOwn(LONG_RUNNING, name)) {
  await runLong(name, args)
} else if (Object.hasOwn(RUN_ONCE, name)) {
  await runOnce(name, args)
} else {
  console.log(USAGE)
  if (name !== 'help') process.exit(2)
}
