import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HELP, type Options, readOptions } from './demo/options.ts'
import { fail } from './lib/fail.ts'

const GRACE_MS = 4_000

const options = read()
// Only its own user may read its files.
process.umask(0o077)
const folder = await folderOf(options.data)
let close = forget
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.once(signal, () => void end())
try {
  await run()
} catch (error) {
  await forget()
  fail(error)
}

function read(): Options {
  try {
    const found = readOptions(process.argv.slice(2))
    if (found) return found
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exit(2)
  }
  console.log(HELP)
  process.exit(0)
}

/** A simulated server ends with this process: records of another run would be wrong. */
async function folderOf(data: string | undefined): Promise<string> {
  if (data === undefined) return mkdtemp(join(tmpdir(), 'hosting-demo-'))
  await mkdir(data, { recursive: true })
  if ((await readdir(data)).length > 0) fail('--data must be a new folder, or an empty one')
  return data
}

async function run(): Promise<void> {
  // Not earlier: a mistyped option is reported before everything loads.
  const { EMAIL, openDemo } = await import('./demo/open.ts')
  const { buildWeb } = await import('./build-web.ts')
  if (!process.env.WEB_DIR) await buildWeb(join(import.meta.dir, '..'))
  const { url, first, toggle, stop } = await openDemo(options, folder, process.env)
  close = async () => {
    await stop()
    await forget()
  }
  process.on('SIGUSR1', () => void toggle())
  console.log(`Log in as ${EMAIL} with ${first?.password ?? 'the password in ADMIN_PASSWORD'}`)
  console.log(`kill -USR1 ${process.pid} brings the offline servers online`)
  console.log(`listening on ${url}`)
}

async function end(): Promise<void> {
  setTimeout(() => void forget().finally(() => process.exit(0)), GRACE_MS)
  await close().finally(() => process.exit(0))
}

async function forget(): Promise<void> {
  if (options.data === undefined) await rm(folder, { recursive: true, force: true })
}
