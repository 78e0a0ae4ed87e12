import { afterAll, beforeAll } from 'bun:test'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listening, type Running, runToEnd } from './children.ts'
import { Client, eventsOf, type WireEvent } from './client.ts'
import { sweep, temporaryFolder } from './processes.ts'
import { there, type Used } from './running.ts'

const PROGRAM = [process.execPath, join(import.meta.dir, '../../scripts/demo.ts')]
/** For a machine that may not have Bun. */
export const SCRIPT = ['sh', join(import.meta.dir, '../../scripts/demo.sh')]
const PASSWORD = 'for the demo alone'
const PATIENCE_MS = 60_000
const READY_MS = 120_000
/** The time limit of a start with its login, also beside many other programs. */
export const START_MS = 150_000

export interface Demo extends Running {
  client: Client
  /** Its remaining files in the folder for temporary files. */
  left(): Promise<string[]>
}

/** Programs take no time, and there are no random events. */
const STILL = ['--pace', '0', '--steady']

/** The demo and a logged-in user; with the pages of this checkout, or with an empty one. */
export async function startDemo(
  args: readonly string[] = STILL,
  { pages = false } = {},
): Promise<Demo> {
  const folder = await temporaryFolder('demo')
  const TMPDIR = join(folder, 'tmp')
  await mkdir(TMPDIR)
  const web: Record<string, string> = pages ? {} : { WEB_DIR: await emptyPage(folder) }
  const env = { TMPDIR, ADMIN_PASSWORD: PASSWORD, ...web }
  const running = await listening([...PROGRAM, '--port', '0', ...args], { env, ready_ms: READY_MS })
  const client = new Client(running.url)
  const { status } = await client.login({ email: 'demo@example.com', password: PASSWORD })
  if (status !== 200) throw new Error(`The login answered ${status}`)
  return { ...running, client, left: () => readdir(TMPDIR) }
}

async function emptyPage(folder: string): Promise<string> {
  const web = join(folder, 'web')
  await mkdir(join(web, 'assets'), { recursive: true })
  await writeFile(join(web, 'index.html'), '<html><head></head><body></body></html>')
  await writeFile(join(web, 'handoff.html'), '<html></html>')
  return web
}

/** The demo with its pages, for the tests of this file. */
export function useDemo(args: readonly string[] = STILL): Used {
  let demo: Demo | undefined
  beforeAll(async () => {
    demo = await startDemo(args, { pages: true })
  }, START_MS)
  afterAll(sweep)
  return { client: () => there(demo).client, running: () => there(demo) }
}

/** Runs it until it ends by itself. */
export const endOfDemo = (
  args: readonly string[],
  env: Record<string, string> = {},
  program: readonly string[] = PROGRAM,
) => runToEnd([...program, ...args], { env })

/** Requests a path of the API until the answer is as expected. */
export async function untilIs<T>(ask: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  for (const end = Date.now() + PATIENCE_MS; ; await Bun.sleep(50)) {
    const value = await ask()
    if (wanted(value)) return value
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(value).slice(0, 500)}`)
  }
}

export async function eventsOfOperation(client: Client, id: string): Promise<WireEvent[]> {
  return eventsOf((await client.get(`/api/operations/${id}/events`)).text)
}
