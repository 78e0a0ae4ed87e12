import { cp, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { buildDashboard } from './build-dashboard.ts'
import { Sqld } from './lib/sqld.ts'

/** Starts several dashboards on one libSQL server: `bun scripts/several.ts 3 data/several`. */
const [count = '3', folder = 'data/several'] = process.argv.slice(2)
if (!/^[1-9]$/.test(count)) {
  process.stderr.write('usage: bun scripts/several.ts [dashboards: 1 to 9] [folder]\n')
  process.exit(2)
}

const FIRST_PORT = 3001
const SQLD_PORT = 8101
const root = join(import.meta.dir, '..')
const place = resolve(folder)
const children: Bun.Subprocess[] = []

const dashboard = await buildDashboard(root)

const sqld = await Sqld.prepare(join(place, 'sqld'), SQLD_PORT)
await sqld.start()
process.stdout.write(`libSQL server: ${sqld.url}, token in ${sqld.token_file}\n`)
process.once('SIGINT', () => void end())
process.once('SIGTERM', () => void end())
for (let number = 1; number <= Number(count); number++) await begin(number)
process.stdout.write(`Any of them may be killed: kill -9 ${pids()}\nEnd with Ctrl and C.\n`)

/** The first one generates the secrets, which all must have. */
async function begin(number: number): Promise<void> {
  const data = join(place, `dashboard-${number}`)
  await mkdir(data, { recursive: true, mode: 0o700 })
  const first = join(place, 'dashboard-1')
  for (const secret of number === 1 ? [] : ['jwt-secret', 'seal-secret'])
    await cp(join(first, secret), join(data, secret))
  const port = String(FIRST_PORT + number - 1)
  const database = { DATABASE_URL: sqld.url, DATABASE_AUTH_TOKEN_FILE: sqld.token_file }
  const child = Bun.spawn([dashboard.file], {
    env: { PATH: process.env.PATH, PORT: port, DATA_DIR: data, ...database },
    stdout: 'pipe',
    stderr: Bun.file(join(data, 'log')),
  })
  children.push(child)
  const decoder = new TextDecoder()
  for await (const chunk of child.stdout) {
    const text = decoder.decode(chunk)
    process.stdout.write(`dashboard ${number} (process ${child.pid}): ${text}`)
    if (text.includes('listening on ')) return
  }
  await end()
}

function pids(): string {
  return children.map(({ pid }) => pid).join(' ')
}

async function end(): Promise<never> {
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(children.map(({ exited }) => exited))
  await sqld.kill()
  process.exit(0)
}
