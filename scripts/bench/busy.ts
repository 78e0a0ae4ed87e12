import { connect, type Socket } from 'node:net'
import { Client } from '#tests/support/client.ts'
import { ADMIN, type Running, startDashboard, sweep } from '#tests/support/processes.ts'
import { SITES } from './lib/answers.ts'
import { benchmark, report } from './lib/benchmark.ts'
import { addServers, fleetFolder, startAgents } from './lib/fleet.ts'
import { processorTime, quantile } from './lib/measure.ts'

const SERVERS = Number(process.env.SERVERS ?? 1_000)
const PER_SECOND = Number(process.env.PER_SECOND ?? 1_000)
const SECONDS = Number(process.env.SECONDS ?? 60)
/** A server is read as a whole until one of its syncs has found nothing new. */
const SETTLING_MS = Number(process.env.SETTLING_MS ?? 150_000)
/** A sync is late after an interval of the syncs, and one more. */
const LATE_MS = 120_000

/** These are the addresses that open pages read; each is one answer in turn. */
const OFTEN = [
  '/api/servers/1/sites',
  '/api/activity?limit=20',
  '/api/servers/7',
  '/api/auth/me',
  '/api/fleet/sites?per_page=20',
  '/api/servers/1/metrics',
]
/** With 1,000 servers it has half a megabyte: a page reads it when it is opened. */
const RARELY = '/api/fleet'
const PATHS = Array.from({ length: 200 }, (_, place) =>
  place === 0 ? RARELY : (OFTEN[place % OFTEN.length] ?? ''),
)

/**
 * Measures the API of a dashboard while it syncs and polls 1,000 enrolled servers with 20 sites
 * each, over pinned TLS: 1,000 requests a second are sent for a minute at their times, whether or
 * not others have been answered, and each answer is timed from that moment. First while each server
 * has a whole sync, as after a start of the dashboard, then in the minutes after that, in which
 * nothing changes. Fails if a request fails, or if a server was not synced meanwhile.
 */
async function main(): Promise<void> {
  const agents = await startAgents('enrolled')
  const { folder, deps } = await fleetFolder()
  await addServers(deps, SERVERS, { port: agents.port }, agents)
  deps.db.close()
  const dashboard = await startDashboard(folder)
  const client = new Client(dashboard.url)
  await client.login(ADMIN)
  await synced(client)
  await measure(dashboard, client, 'that have a whole sync')
  await Bun.sleep(SETTLING_MS)
  await measure(dashboard, client, 'that do not change')
  await check(client)
}

async function measure({ pid, port }: Running, { cookie = '' }: Client, what: string) {
  const before = await processorTime(pid)
  const times = await load(port, cookie)
  const busy = (await processorTime(pid)) - before
  const [middle, high, longest] = [0.5, 0.999, 1].map((part) => quantile(times, part).toFixed(1))
  console.log(`median ${middle} ms, p99.9 ${high} ms, longest ${longest} ms`)
  console.log(`${((busy / SECONDS / 1000) * 100).toFixed(0)} % of a processor`)
  const name = `p99 of ${PER_SECOND} requests a second beside ${SERVERS} servers ${what}`
  report(name, quantile(times, 0.99), 'ms', { at_most: 10 })
}

/** Waits until each server has been synced, and its sites are recorded. */
async function synced(client: Client): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { body } = await client.get('/api/fleet/sites?per_page=1')
    if (Object(body).total === SERVERS * SITES) return
    await Bun.sleep(1000)
  }
  throw new Error('the servers are not synced after five minutes')
}

/** Throws if a server is late by more than an interval. */
async function check(client: Client): Promise<void> {
  const since = new Date(Date.now() - LATE_MS).toISOString()
  const { body } = await client.get('/api/servers')
  const servers = Object(body).servers as { last_sync: string | null }[]
  const late = servers.filter(({ last_sync }) => (last_sync ?? '') < since)
  if (servers.length !== SERVERS || late.length > 0)
    throw new Error(`${late.length} of ${servers.length} servers were not synced in time`)
}

const CONNECTIONS = 64
const TICK_MS = 2
/** The last answers may take this long: an overloaded dashboard is hours behind. */
const TIMEOUT_MS = 10_000

/**
 * Sends requests at their times, whether or not others have been answered, over as many connections
 * as an office has browsers. Returns the milliseconds of each, from its time to its whole answer, or
 * to the end if there was none. Throws if one is not answered with 200.
 */
async function load(port: number, cookie: string): Promise<number[]> {
  const free = Array.from({ length: CONNECTIONS }, () => new Connection(port))
  const all = [...free]
  const late: ((connection: Connection) => void)[] = []
  const times: number[] = []
  const open = new Set<number>()
  const ask = async (path: string, due: number) => {
    open.add(due)
    const connection =
      free.pop() ?? (await new Promise<Connection>((resolve) => late.push(resolve)))
    const status = await connection.get(path, cookie)
    open.delete(due)
    times.push(performance.now() - due)
    const next = late.shift()
    if (next) next(connection)
    else free.push(connection)
    if (status !== 200) throw new Error(`${path} answers ${status}`)
  }
  const total = PER_SECOND * SECONDS
  const start = performance.now()
  const asked: Promise<void>[] = []
  while (asked.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * PER_SECOND))
    while (asked.length < due) {
      const path = PATHS[asked.length % PATHS.length] ?? ''
      asked.push(ask(path, start + (asked.length * 1000) / PER_SECOND))
    }
    await Bun.sleep(TICK_MS)
  }
  await Promise.race([Promise.all(asked), Bun.sleep(TIMEOUT_MS)])
  for (const connection of all) connection.close()
  const end = performance.now()
  return [...times, ...[...open].map((due) => end - due)]
}

const BLANK_LINE = '\r\n\r\n'

/** A connection has one request at a time: it costs much less than `fetch`. */
class Connection {
  readonly #port: number
  #socket: Socket
  #received: Buffer<ArrayBufferLike> = Buffer.alloc(0)
  #waiting: { resolve(status: number): void; reject(error: Error): void } | undefined

  constructor(port: number) {
    this.#port = port
    this.#socket = this.#open()
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    const broken = () => this.#waiting?.reject(new Error('a connection has ended'))
    socket.on('error', broken)
    socket.on('close', broken)
    return socket
  }

  /** Resolves with the status when the whole answer has arrived. */
  get(path: string, cookie: string): Promise<number> {
    // The dashboard closes one that has been idle for long.
    if (this.#socket.destroyed) this.#socket = this.#open()
    this.#socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\nAccept: */*\r\n\r\n`,
    )
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #take(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes])
    const end = this.#received.indexOf(BLANK_LINE)
    if (end < 0) return
    const head = this.#received.subarray(0, end).toString('latin1')
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1])
    if (!(this.#received.length >= end + BLANK_LINE.length + length)) return
    this.#received = Buffer.alloc(0)
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(Number(head.slice(9, 12)))
  }
}

await benchmark(main, sweep)
