import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import process from 'node:process'
import { fail } from '#scripts/lib/fail.ts'
import { isTerminal, readEvents } from '#shared/kernel/sse.ts'
import { listening, type Running } from '#tests/support/children.ts'
import { Client } from '#tests/support/client.ts'
import { ADMIN, dashboardFolder, startDashboard, sweep } from '#tests/support/processes.ts'
import { DOMAINS, LINES } from './events/domains.ts'
import { report } from './lib/figure.ts'
import { median, quantile, timed } from './lib/measure.ts'
import { idleMemory } from './lib/process.ts'
import { printShares, profiled } from './lib/profile.ts'

const MAIN = new URL('../../dashboard/main.ts', import.meta.url).pathname
const AGENT = new URL('./events/agent.ts', import.meta.url).pathname
const TRIES = 3
/** Its command prints lines here, and changes nothing. */
const CHECK = { action: 'check' }
/** The program is compiled further meanwhile. */
const WARM_UP = 200
const FIRST_LINES = 1_000
const STREAMS = 5_000
const AT_ONCE = 100

/**
 * Measures the events of operations: 100,000 of them through the dashboard, which stores each,
 * beside the same from the agent itself; the first line of a short operation at the client, of
 * another dashboard; and the memory of 5,000 open streams. Exits with status 1 if an event is
 * missing or a goal is missed.
 */
async function main(): Promise<void> {
  const agent = await listening([process.execPath, AGENT], {})
  const first = await firstLinesOf(agent)
  console.log(`first    ${quantile(first, 0.5).toFixed(1)} ms at the median`)
  const dashboard = await startDashboard(await dashboardFolder())
  const client = new Client(dashboard.url)
  await client.login(ADMIN)
  await client.post('/api/servers', { hostname: '127.0.0.1', port: agent.port })
  const [talking, [waiting = '']] = [
    await sitesOf(client, DOMAINS.talking),
    await sitesOf(client, DOMAINS.waiting),
  ]
  // First: afterwards it has memory that it does not use.
  const MB = await memoryOfStreams(client, dashboard, waiting)
  const through: number[] = []
  const direct: number[] = []
  for (let turn = 0; turn < TRIES; turn++) {
    direct.push(await timed(() => all(DOMAINS.talking, directly(agent))))
    through.push(await timed(() => all(talking, checking(client))))
  }
  console.log(`direct   ${direct.map((ms) => ms.toFixed(0)).join(', ')} ms`)
  console.log(`through  ${through.map((ms) => ms.toFixed(0)).join(', ')} ms`)
  const met = [
    report({
      ...{ name: `${DOMAINS.talking.length * LINES} events`, unit: 'ms', at_most: 2.5 },
      ...{ ours: median(through), against: median(direct) },
    }),
    report({ name: 'first line, p99', unit: 'ms', ours: quantile(first, 0.99), at_most: 10 }),
    report({ name: `memory of ${STREAMS} streams`, unit: 'MB', ours: MB, at_most: 100 }),
  ]
  if (!met.includes(false)) return
  await explain()
  throw new Error('a goal is missed')
}

/** Prints what the processor time of short operations consists of. */
async function explain(): Promise<void> {
  const { port } = await listening([process.execPath, AGENT], {})
  const { email, password } = ADMIN
  const env = { ADMIN_EMAIL: email, ADMIN_PASSWORD: password, PORT: '0' }
  const shares = await profiled([MAIN], { ...env, DATA_DIR: await dashboardFolder() }, (running) =>
    run(running, port),
  )
  printShares('the dashboard with short operations', shares)
}

async function run({ url }: Running, port: number): Promise<void> {
  const client = new Client(url)
  await firstLines(client, await shortOf(client, port), WARM_UP)
}

/** Milliseconds to the first line, of a dashboard that has done nothing else. */
async function firstLinesOf({ port }: Running): Promise<number[]> {
  const dashboard = await startDashboard(await dashboardFolder())
  const client = new Client(dashboard.url)
  const short = await shortOf(client, port)
  await firstLines(client, short, WARM_UP)
  const times = await firstLines(client, short, FIRST_LINES)
  await dashboard.kill()
  return times
}

/** Returns the path of a new site whose operations have one line. */
async function shortOf(client: Client, port: number): Promise<string> {
  await client.login(ADMIN)
  await client.post('/api/servers', { hostname: '127.0.0.1', port })
  const [short = ''] = await sitesOf(client, DOMAINS.short)
  return short
}

/** Returns the paths of new sites. */
async function sitesOf(client: Client, domains: readonly string[]): Promise<string[]> {
  const paths: string[] = []
  for (const domain of domains) {
    const input = { domain, tls: 'none' }
    const { body, headers } = await client.post('/api/servers/1/sites', input)
    await client.get(`/api/operations/${headers.get('operation-id')}/events`)
    paths.push(`/api/servers/1/sites/${Object(body).site.id}`)
  }
  return paths
}

type Start = (which: string) => Promise<Response>

const directly =
  ({ url }: Running): Start =>
  (domain) =>
    fetch(`${url}/exec`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'operation-id': randomUUID() },
      body: JSON.stringify({ command: 'database.maintain', params: { domain, ...CHECK } }),
    })

/** Without the check of each answer, which takes longer than the answer. */
const checking =
  ({ base, cookie = '' }: Client): Start =>
  (path) =>
    fetch(`${base}${path}/database/maintenance`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(CHECK),
    })

const all = (which: readonly string[], start: Start) =>
  Promise.all(which.map(async (one) => whole(await start(one))))

/** Throws if a line is missing. */
async function whole({ body, status }: Response): Promise<void> {
  let next = 1
  for await (const event of readEvents(body ?? new ReadableStream())) {
    if (event.event === 'step') continue
    if (event.id !== next) throw new Error(`event ${next} is missing`)
    next += 1
    if (!isTerminal(event)) continue
    if (event.event === 'complete' && next === LINES + 2) return
    throw new Error(`${JSON.stringify(event)} after ${next - 2} lines`)
  }
  throw new Error(`the stream with status ${status} ended at ${next}`)
}

/** Returns milliseconds from the request to the first line. */
async function firstLines(client: Client, path: string, turns: number): Promise<number[]> {
  const times: number[] = []
  for (let turn = 0; turn < turns; turn++) {
    const begun = performance.now()
    const { body } = await checking(client)(path)
    let first: number | undefined
    for await (const { event } of readEvents(body ?? new ReadableStream()))
      if (event === 'log') first ??= performance.now() - begun
    if (first === undefined) throw new Error('an operation had no line')
    times.push(first)
  }
  return times
}

/** MB that the dashboard needs more with the streams of one operation open, each with its line. */
async function memoryOfStreams(client: Client, { pid }: Running, path: string): Promise<number> {
  const { headers } = await checking(client)(path)
  const events = `${client.base}/api/operations/${headers.get('operation-id')}/events`
  const before = await idleMemory(pid)
  const sockets: Socket[] = []
  while (sockets.length < STREAMS)
    sockets.push(
      ...(await Promise.all(Array.from({ length: AT_ONCE }, () => opened(events, client)))),
    )
  const MB = (await idleMemory(pid)) - before
  for (const socket of sockets) socket.destroy()
  return MB
}

/** Opens a stream over TCP, since fetch has at most 256 requests. Resolves with its line. */
function opened(url: string, { cookie = '' }: Client): Promise<Socket> {
  const { hostname, port, pathname } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
    if (text.includes('Line 1 of 1')) resolve(socket)
  })
  socket.on('close', () => reject(new Error(`a stream has ended: ${text}`)))
  socket.on('error', reject)
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nCookie: ${cookie}\r\n\r\n`)
  return promise
}

await main()
  .finally(sweep)
  .then(() => process.exit(0), fail)
