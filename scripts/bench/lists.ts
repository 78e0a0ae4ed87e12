import { openDatabase } from '#dashboard/kernel/db/client.ts'
import { servers } from '#dashboard/kernel/db/schema.ts'
import { listening, type Running } from '#tests/support/children.ts'
import { Client } from '#tests/support/client.ts'
import {
  ADMIN,
  dashboardFolder,
  startDashboard,
  sweep,
  temporaryFolder,
} from '#tests/support/processes.ts'
import { benchmark, report } from './lib/benchmark.ts'
import { alternating, median } from './lib/measure.ts'
import { fillFleet } from './lib/records.ts'
import { answersPerSecond } from './lib/wrk.ts'

const TRIES = Number(process.env.TRIES ?? 3)
const FLEET = 'with 10,000 sites on 100 servers'

/** Each address has this part of the requests that bare Bun.serve answers. */
const PROMISED: Record<string, Record<string, number>> = {
  'with 50 servers': { '/api/servers': 0.5 },
  [FLEET]: {
    '/api/servers/1/sites': 0.3,
    '/api/fleet/sites?per_page=100&php=8.3': 0.3,
    '/api/activity?limit=100': 0.3,
    '/api/fleet': 0.3,
  },
}

/**
 * Requests in a second of processor time for the lists of the dashboard, with a session that is
 * checked each time, beside bare Bun.serve that sends the same bytes to anybody. Both are warm. Fails
 * if a read after a write does not see it, or if a session is accepted after its logout.
 */
async function main(): Promise<void> {
  for (const [fleet, lists] of Object.entries(PROMISED)) {
    const folder = await dashboardFolder()
    await fill(`file:${folder}/dashboard.db`, fleet)
    const dashboard = await startDashboard(folder)
    const client = new Client(dashboard.url)
    await client.login(ADMIN)
    for (const [path, at_least] of Object.entries(lists)) {
      const { ours, bare } = await compare(dashboard, client, path)
      report(`${path} ${fleet}`, ours, 'requests/s', { against: bare, at_least })
    }
    await checkWrites(client, Object.keys(lists))
    await dashboard.kill()
  }
}

async function fill(url: string, fleet: string): Promise<void> {
  const db = await openDatabase(url)
  try {
    if (fleet === FLEET) return await fillFleet(db)
    const rows = Array.from({ length: 50 }, (_, number) => ({
      name: `server-${number}`,
      hostname: `server-${number}.example`,
      port: 8443,
      user: 'root',
      tags: ['eu', 'production'],
      created_at: '2026-01-01T00:00:00.000Z',
    }))
    await db.write((queries) => queries.insert(servers).values(rows))
  } finally {
    db.close()
  }
}

/** Returns the requests in a second of processor time, of a list and of the same bytes. */
async function compare({ pid }: Running, { base, cookie, get }: Client, path: string) {
  const { status, text } = await get(path)
  if (status !== 200) throw new Error(`${path} answers ${status}: ${text}`)
  const answer = `${await temporaryFolder('bare')}/answer`
  await Bun.write(answer, text)
  const program = new URL('./lists/bare.ts', import.meta.url).pathname
  const server = await listening([process.execPath, program, answer], {})
  const rates = {
    ours: () => answersPerSecond([{ url: base + path, cookie }], [pid]),
    bare: () => answersPerSecond([server], [server.pid]),
  }
  try {
    for (const warm of Object.values(rates)) await warm()
    return await alternating(TRIES, median, rates)
  } finally {
    await server.kill()
  }
}

/** Checks that the next read after a write has it, for each list that shows servers, and that a logout ends all. */
async function checkWrites(client: Client, paths: readonly string[]): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) {
    const name = `renamed-${turn}`
    await client.send({ method: 'PATCH', path: '/api/servers/1', body: { name } })
    const { text } = await client.get('/api/servers')
    if (!text.includes(`"${name}"`)) throw new Error(`a read after the write of ${name} misses it`)
  }
  for (const path of paths) await client.get(path)
  const former = new Client(client.base, client.cookie)
  await client.send({ method: 'POST', path: '/api/auth/logout' })
  for (const path of [...paths, '/api/servers']) {
    const { status } = await former.get(path)
    if (status !== 401) throw new Error(`${path} answers ${status} after the logout`)
  }
}

await benchmark(main, sweep)
