import { ConfigError, readEnvironment } from '#dashboard/config.ts'
import { StartError, start } from '#dashboard/start.ts'

const GRACE_MS = 4_000

// What it writes is for its own user.
process.umask(0o077)

try {
  const { url, first, stop } = await start(readEnvironment())
  const end = () => {
    setTimeout(() => process.exit(0), GRACE_MS)
    stop().finally(() => process.exit(0))
  }
  process.once('SIGTERM', end)
  process.once('SIGINT', end)
  if (first) process.stdout.write(`first login: ${first.email}\npassword: ${first.password}\n`)
  process.stdout.write(`listening on ${url}\n`)
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof StartError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(error instanceof ConfigError ? 2 : 1)
}
