import { openDatabase } from '#dashboard/kernel/db/client.ts'
import { servers } from '#dashboard/kernel/db/schema.ts'
import { fail } from '#scripts/lib/fail.ts'
import { must } from '#scripts/lib/run.ts'
import { listening, type Running } from '#tests/support/children.ts'
import { Client } from '#tests/support/client.ts'
import {
  ADMIN,
  dashboardFolder,
  startDashboard,
  sweep,
  temporaryFolder,
} from '#tests/support/processes.ts'
import { report } from './lib/figure.ts'
import { fillFleet } from './lib/fleet.ts'
import { median } from './lib/measure.ts'
import { processorTime } from './lib/process.ts'

const TRIES = 3
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
 * checked each time, beside bare Bun.serve that sends the same bytes to anybody. Both are warm, they
 * take turns, and the median of three counts. Exits with status 1 if a list is slower than promised,
 * if a read after a write does not see it, or if a session is accepted after its logout. Needs wrk.
 */
async function main(): Promise<void> {
  let missed = 0
  for (const [fleet, lists] of Object.entries(PROMISED)) {
    const folder = await dashboardFolder()
    await fill(`file:${folder}/dashboard.db`, fleet)
    const dashboard = await startDashboard(folder)
    const client = new Client(dashboard.url)
    await client.login(ADMIN)
    for (const [path, promised] of Object.entries(lists)) {
      const { ours, floor } = await compare(dashboard, client, path)
      const ratio = ours / floor
      report({
        ...{ name: `${path} ${fleet}`, unit: 'requests/s', ours, against: floor },
        at_least: promised,
      })
      console.log(`  ${fleet} ${path}: ${ratio.toFixed(2)} (promised: ${promised})`)
      if (ratio < promised) missed += 1
    }
    await checkWrites(client, Object.keys(lists))
    await dashboard.kill()
  }
  await sweep()
  if (missed > 0) throw new Error(`${missed} lists are slower than promised`)
}

async function fill(url: string, fleet: string): Promise<void> {
  const db = await openDatabase(url)
  try {
    if (fleet === FLEET) return await fillFleet(db)
    const rows = Array.from({ length: 50 }, (_, number) => ({
      ...{ name: `server-${number}`, hostname: `server-${number}.example`, port: 8443 },
      ...{ user: 'root', tags: ['eu', 'production'], created_at: '2026-01-01T00:00:00.000Z' },
    }))
    await db.write((queries) => queries.insert(servers).values(rows))
  } finally {
    db.close()
  }
}

/** Requests in a second of processor time. */
async function compare(server: Running, client: Client, path: string) {
  const { status, text } = await client.get(path)
  if (status !== 200) throw new Error(`${path} answers ${status}: ${text}`)
  const bare = await startBare(text)
  try {
    await requestsPerSecond(bare, bare.url)
    await requestsPerSecond(server, client.base + path, client.cookie)
    const rates: { ours: number[]; bare: number[] } = { ours: [], bare: [] }
    for (let turn = 0; turn < TRIES; turn += 1) {
      rates.bare.push(await requestsPerSecond(bare, bare.url))
      rates.ours.push(await requestsPerSecond(server, client.base + path, client.cookie))
    }
    const [ours, floor] = [median(rates.ours), median(rates.bare)]
    console.log(
      `  ${ours.toFixed(0)} requests/s, bare ${floor.toFixed(0)} (${Buffer.byteLength(text)} bytes)`,
    )
    return { ours, floor }
  } finally {
    await bare.kill()
  }
}

async function startBare(text: string): Promise<Running> {
  const file = `${await temporaryFolder('bare')}/answer`
  await Bun.write(file, text)
  const program = new URL('./lists/bare.ts', import.meta.url).pathname
  return listening([process.execPath, program, file], { env: {} })
}

/** The next read after a write has it, for each list that shows servers; a logout ends all of them. */
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

const SECONDS = 3
const CONNECTIONS = 16

/**
 * Returns the requests that wrk gets answered with 2xx in each second of the server's processor
 * time, so that other work of the machine does not count. Throws if any other answer comes.
 */
async function requestsPerSecond(server: { pid: number }, url: string, cookie = '') {
  const load = ['wrk', '-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-H', `Cookie: ${cookie}`, url]
  const before = await processorTime(server.pid)
  const output = await must(load)
  const used = (await processorTime(server.pid)) - before
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`not every answer is 2xx: ${output}`)
  const requests = /^\s*(\d+) requests in/m.exec(output)?.[1]
  if (requests === undefined) throw new Error(`wrk counts no requests: ${output}`)
  return (Number(requests) * 1000) / used
}

await main().then(() => process.exit(0), fail)
