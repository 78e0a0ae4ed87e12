import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import process from 'node:process'
import { isTerminal, readEvents } from '#shared/kernel/sse.ts'
import { listening, type Running } from '#tests/support/children.ts'
import { Client } from '#tests/support/client.ts'
import { ADMIN, dashboardFolder, startDashboard, sweep } from '#tests/support/processes.ts'
import { benchmark, report } from './lib/benchmark.ts'
import { alternating, idleMemory, median, quantile, timed } from './lib/measure.ts'

const AGENT = new URL('./events/agent.ts', import.meta.url).pathname
/** One operation prints this number of lines: half of what the dashboard keeps. */
const LINES = Number(process.env.LINES ?? 10_000)
const TALKING = Array.from({ length: 10 }, (_, at) => `talking${at}.example`)
const SHORT = 'short.example'
const WAITING = 'waiting.example'
/** Its command prints lines here, and changes nothing. */
const CHECK = { action: 'check' }
/** The program is compiled further meanwhile. */
const WARM_UP = 200
const FIRST_LINES = Number(process.env.FIRST_LINES ?? 1_000)
const STREAMS = Number(process.env.STREAMS ?? 5_000)
const MAX_CONCURRENT = 100

/**
 * Measures the events of operations: 100,000 of them through the dashboard, which stores each,
 * beside the same from the agent itself; the first line of a short operation at the client, of
 * another dashboard; and the memory of 5,000 open streams. Fails if an event is missing.
 */
async function main(): Promise<void> {
  const argv = [process.execPath, AGENT, `${LINES}`, ...TALKING, SHORT, WAITING]
  const agent = await listening(argv, {})
  const first = await firstLinesOf(agent)
  console.log(`first line: ${quantile(first, 0.5).toFixed(1)} ms at the median`)
  const { dashboard, client } = await startWith(agent)
  const talking = await sitesOf(client, TALKING)
  const [waiting = ''] = await sitesOf(client, [WAITING])
  // First: afterwards it has memory that it does not use.
  const MB = await memoryOfStreams(client, dashboard, waiting)
  const times = await alternating(3, median, {
    agent: () => timed(() => all(TALKING, directly(agent))),
    dashboard: () => timed(() => all(talking, checking(client))),
  })
  const goal = { against: times.agent, at_most: 2.5 }
  report(`${TALKING.length * LINES} events`, times.dashboard, 'ms', goal)
  report('first line, p99', quantile(first, 0.99), 'ms', { at_most: 10 })
  report(`memory of ${STREAMS} streams`, MB, 'MB', { at_most: 100 })
}

async function startWith({ port }: Running): Promise<{ dashboard: Running; client: Client }> {
  const dashboard = await startDashboard(await dashboardFolder())
  const client = new Client(dashboard.url)
  await client.login(ADMIN)
  await client.post('/api/servers', { hostname: '127.0.0.1', port })
  return { dashboard, client }
}

/** Returns the milliseconds to the first line, of a dashboard that has done nothing else. */
async function firstLinesOf(agent: Running): Promise<number[]> {
  const { dashboard, client } = await startWith(agent)
  const [short = ''] = await sitesOf(client, [SHORT])
  await firstLines(client, short, WARM_UP)
  const times = await firstLines(client, short, FIRST_LINES)
  await dashboard.kill()
  return times
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

/** Requests it without the check of each answer, which takes longer than the answer. */
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

/** Returns the MB that the dashboard needs more with many streams of one operation open. */
async function memoryOfStreams(client: Client, { pid }: Running, path: string): Promise<number> {
  const { headers } = await checking(client)(path)
  const events = `${client.base}/api/operations/${headers.get('operation-id')}/events`
  const before = await idleMemory(pid)
  const sockets: Socket[] = []
  while (sockets.length < STREAMS)
    sockets.push(
      ...(await Promise.all(Array.from({ length: MAX_CONCURRENT }, () => opened(events, client)))),
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

await benchmark(main, sweep)
