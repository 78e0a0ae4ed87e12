import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listening, type Running, toItsEnd } from './children.ts'
import { Client, eventsOf, type WireEvent } from './client.ts'
import { temporaryFolder } from './processes.ts'

const PROGRAM = [process.execPath, join(import.meta.dir, '../../scripts/demo.ts')]
/** On a machine that may not have Bun. */
export const SCRIPT = ['sh', join(import.meta.dir, '../../scripts/demo.sh')]
const PASSWORD = 'for the demo alone'
const PATIENCE_MS = 60_000

export interface Demo extends Running {
  client: Client
  /** What is left of it in the folder for temporary files. */
  left(): Promise<string[]>
}

/** The demo with programs that take no time, and somebody logged in. */
export async function startDemo(args: readonly string[] = []): Promise<Demo> {
  const folder = await temporaryFolder('demo')
  const [TMPDIR, WEB_DIR] = [join(folder, 'tmp'), join(folder, 'web')]
  await mkdir(join(WEB_DIR, 'assets'), { recursive: true })
  await mkdir(TMPDIR)
  await writeFile(join(WEB_DIR, 'index.html'), '<html><head></head><body></body></html>')
  const env = { TMPDIR, WEB_DIR, ADMIN_PASSWORD: PASSWORD }
  const argv = [...PROGRAM, '--port', '0', '--pace', '0', '--steady', ...args]
  const running = await listening(argv, { env })
  const client = new Client(running.url)
  const { status } = await client.login({ email: 'demo@example.com', password: PASSWORD })
  if (status !== 200) throw new Error(`The login answered ${status}`)
  return { ...running, client, left: () => readdir(TMPDIR) }
}

/** Runs it until it ends by itself. */
export const endOfDemo = (
  args: readonly string[],
  env: Record<string, string> = {},
  program: readonly string[] = PROGRAM,
) => toItsEnd([...program, ...args], { env })

/** Asks for something of the API until it is as wanted. */
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
