import { messageOf } from '#shared/kernel/errors.ts'
import { ConfigError, readEnvironment } from './config.ts'
import { StartError } from './start-error.ts'

const GRACE_MS = 4_000
/** The calls before code is compiled: most code of a start runs once. */
const JIT_AT_START = 10

// Its files are for its own user.
process.umask(0o077)

try {
  const argv = process.argv.slice(2)
  if (argv[0] === 'confined') await becomeConfined(argv.slice(1))
  if (argv.length > 0 && argv[0] !== 'serve') process.exit(await run(argv))
  await serve()
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof StartError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(error instanceof ConfigError ? 2 : 1)
}

async function serve(): Promise<void> {
  Bun.unsafe.setJITPolicy(JIT_AT_START)
  const config = readEnvironment()
  // Loaded late: an error in a variable is reported without delay.
  const { start } = await import('./start.ts')
  const { firstLoginFile, firstLoginText, goesToJournal } = await import(
    '#dashboard/kernel/auth/first-login.ts'
  )
  const keep_login = goesToJournal(config.JOURNAL_STREAM)
  const { url, first, stop } = await start(config, { keep_login })
  Bun.unsafe.setJITPolicy(1)
  const end = () => {
    setTimeout(() => process.exit(0), GRACE_MS)
    stop().finally(() => process.exit(0))
  }
  process.once('SIGTERM', end)
  process.once('SIGINT', end)
  const kept = `the first login is in ${firstLoginFile(config.DATA_DIR)}\n`
  if (first) process.stdout.write(keep_login ? kept : firstLoginText(first))
  process.stdout.write(`listening on ${url}\n`)
}

/** Starts restic for the dashboard: the words after the list of what is allowed are its argv. */
async function becomeConfined([allowed = '', ...argv]: readonly string[]): Promise<never> {
  const confine = await import('#dashboard/features/backups/off-site/confine.ts')
  try {
    return confine.becomeConfined(confine.Allowed.parse(JSON.parse(allowed)), argv)
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`)
    return process.exit(126)
  }
}

async function run(argv: readonly string[]): Promise<number> {
  const { runCommand } = await import('./cli.ts')
  return runCommand(argv, readEnvironment, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    read: () => Bun.stdin.text(),
  })
}
