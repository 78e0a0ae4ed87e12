import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logError } from '#agent/log.ts'
import { readConfig } from '#dashboard/config.ts'
import { start } from '#dashboard/start.ts'
import { Fleet } from './demo/fleet/fleet.ts'
import { makeFleet } from './demo/fleet/make-fleet.ts'
import { Turns } from './demo/machine/turns.ts'
import { HELP, type Options, readOptions } from './demo/options.ts'
import { fillRecords } from './demo/records/fill.ts'
import { fail } from './lib/fail.ts'
import { provideWeb } from './lib/fresh-web.ts'

const EMAIL = 'demo@example.com'

const GRACE_MS = 4_000

const options = read()
process.umask(0o077)
const folder = await folderOf(options.data)
const forget = async () => {
  if (options.data === undefined) await rm(folder, { recursive: true, force: true })
}
let close = forget
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void end())
try {
  await run(options)
} catch (error) {
  await forget()
  fail(error)
}

async function end(): Promise<void> {
  setTimeout(() => void forget().finally(() => process.exit(0)), GRACE_MS)
  await close().finally(() => process.exit(0))
}

/** Nothing of a simulated server outlives it, so that records of another run would be wrong. */
async function folderOf(data: string | undefined): Promise<string> {
  if (data === undefined) return mkdtemp(join(tmpdir(), 'hosting-demo-'))
  await mkdir(data, { recursive: true })
  if ((await readdir(data)).length > 0) fail('--data must be a new folder, or an empty one')
  return data
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

async function run({ servers, sites, port, seed, pace }: Options): Promise<void> {
  await provideWeb(join(import.meta.dir, '..'))
  const fleet = await Fleet.open(makeFleet(seed, { servers, sites }), {
    turns: new Turns(),
    pace,
    time: { now: () => Date.now(), elapsed: () => performance.now() },
    report: logError,
  })
  await fleet.start()
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: folder,
    BACKUPS_KEPT: '0',
    ADMIN_EMAIL: EMAIL,
    ADMIN_PASSWORD: process.env.ADMIN_PASSWORD,
  })
  const { url, first, stop } = await start(config, {
    transports: fleet.transports,
    prepare: (db) => fillRecords(db, fleet, Date.now()),
    log: (line) => line.includes('"level":"error"') && process.stderr.write(line),
  })
  close = async () => {
    await stop()
    await fleet.stop()
    await forget()
  }
  process.on('SIGUSR1', () => void fleet.turn())
  console.log(`Log in as ${EMAIL} with the password ${first?.password ?? 'in ADMIN_PASSWORD'}`)
  console.log(`listening on ${url}`)
}
