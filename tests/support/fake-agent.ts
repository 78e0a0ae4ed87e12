import { reportOf } from '#agent/http/report.ts'
import type {
  Condition,
  Metrics,
  Service,
  SiteCertificate,
  SiteHealth,
  TrashedSite,
  Web,
} from '#shared/agent.ts'
import { CancelRequest } from '#shared/agent-requests.ts'
import { CANCELLED, type ErrorBody } from '#shared/errors.ts'
import type { FoundSite } from '#shared/found-site.ts'
import type { Maintenance } from '#shared/maintenance.ts'
import type { InstalledPhp } from '#shared/php-installed.ts'
import type { Plan } from '#shared/plan.ts'
import type { SiteUsage } from '#shared/site-usage.ts'
import {
  encodeEvent,
  isNumbered,
  isTerminal,
  PING,
  STREAM_HEADERS,
  type StoredEvent,
} from '#shared/sse.ts'
import { carry, type Known, say, type Work } from './fake-operation.ts'
import { FakePasswords, MISSING, withoutPassword } from './fake-passwords.ts'
import { pulseOf } from './fake-pulse.ts'
import { OF_SITES } from './fake-readings.ts'

/** A real HTTP server on loopback that speaks the protocol of an agent and keeps its operations. */
export class FakeAgent {
  sites: FoundSite[] = []
  trash: TrashedSite[] = []
  certificates: SiteCertificate[] = []
  usage: SiteUsage[] = []
  maintenance: Maintenance | null = null
  conditions: Condition[] = []
  php: InstalledPhp[] = []
  /** Undefined: the agent does not know the call. */
  web: Web | undefined
  health: SiteHealth[] = []
  /** The version of its state. Undefined: the agent knows neither this call nor the pulse. */
  state: string | null | undefined
  /** Older agents have no such call. */
  reports = true
  counted = 0
  services: Service[] = []
  metrics: Metrics = {
    cpu: 7,
    ram: { used: 512, total: 2048, unit: 'MB' },
    disk: { used: 10, total: 100, unit: 'MB' },
    load: [0.1, 0.2, 0.3],
    uptime: 3600,
    os: 'Debian GNU/Linux 12',
    version: '1.2.3',
  }
  /** Each request in order, as `POST /exec`, and its headers. */
  readonly asked: string[] = []
  readonly headers: Headers[] = []
  /** How often each operation was started, which must never be more than once. */
  readonly started = new Map<string, number>()
  readonly works = new Map<string, Work>()
  /** Answers that replace the usual ones, by path. */
  readonly answers = new Map<string, (request: Request) => Response | Promise<Response>>()
  readonly passwords = new FakePasswords()
  /** The planned calls, and their answer. */
  readonly planned: Record<string, unknown>[] = []
  plan: Plan = { steps: [] }
  /** Ends each stream after so many events, as a broken connection does. */
  cut_after = Number.POSITIVE_INFINITY
  /** The same for the next streams, one each. */
  cuts: number[] = []
  /** Each cancel request, as `<id> graceful`. */
  readonly cancelled: string[] = []
  /** Whether a graceful request ends nothing, like a program that ignores SIGTERM. */
  stubborn = false
  #operations = new Map<string, Known>()
  #server: ReturnType<typeof Bun.serve> | undefined
  #port = 0

  constructor() {
    this.works.set('site.create', async function* ({ domain }) {
      yield `Creating ${domain}`
      return { status: 'ok', domain }
    })
    this.works.set('site.delete', (params) => this.#delete(params))
    for (const name of ['site.restore', 'site.purge'])
      this.works.set(name, (params) => this.#leaveTrash(params))
    this.listen()
  }

  async *#delete({ domain }: Record<string, unknown>) {
    yield `Deleting ${domain}`
    const deleted_at = new Date().toISOString()
    const kept = { user: 'shop', size: 4096, deleted_at, restorable: true }
    const facts = { php: '8.2', tier: 'small', tls: 'none' } as const
    this.trash = [...this.trash, { domain: String(domain), ...kept, ...facts }]
    return { status: 'ok', domain, size: 4096 }
  }

  async *#leaveTrash({ domain }: Record<string, unknown>) {
    yield `Working on ${domain}`
    this.trash = this.trash.filter((site) => site.domain !== domain)
    return { status: 'ok', domain }
  }

  get port(): number {
    return this.#port
  }

  /** Starts again on the same port after `stop`. */
  listen(): void {
    const fetch = (request: Request) => this.#answer(request)
    this.#server = Bun.serve({ hostname: '127.0.0.1', port: this.#port, idleTimeout: 0, fetch })
    this.#port = this.#server.port ?? 0
  }

  async stop(): Promise<void> {
    await this.#server?.stop(true)
  }

  /** Like an agent that lost its memory of running operations. */
  forget(): void {
    this.#operations = new Map()
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    this.asked.push(`${request.method} ${pathname}`)
    this.headers.push(request.headers)
    const instead = await this.#instead(pathname, request)
    if (instead) return instead
    if (pathname === '/pulse' && this.state !== undefined) return pulseOf(this, request)
    if (pathname === '/report') return this.#report()
    const reading = this.#readings()[pathname]
    if (reading) return Response.json(reading)
    if (request.method === 'GET')
      return failure(404, { error: 'Not found', message: 'No such call' })
    const body: Record<string, unknown> = Object(await request.json())
    if (pathname === '/exec' && body.dry_run === true) return this.#planned(body)
    if (pathname === '/exec')
      return this.#operate(request, String(body.command), Object(body.params))
    const [, cancelled] = /^\/operations\/([\w-]+)\/cancel$/.exec(pathname) ?? []
    if (cancelled !== undefined) return this.#cancel(cancelled, CancelRequest.parse(body).force)
    if (pathname === '/sites/wp-scan') return this.#operate(request, 'wp.scan', body)
    return failure(404, { error: 'Not found', message: 'No such call' })
  }

  async #instead(path: string, request: Request): Promise<Response | undefined> {
    const answer = this.answers.get(path)
    const opens = answer && path.startsWith('/backups/')
    const lacks = opens && this.passwords.lack(path, Object(await request.clone().json()))
    return lacks ? failure(409, MISSING) : answer?.(request)
  }

  /** Without the calls that a test answers, or that it lacks. */
  async #report(): Promise<Response> {
    if (!this.reports) return failure(404, { error: 'Not found', message: 'No such call' })
    const answers = Object.entries(this.#readings()).filter(([path]) => !this.answers.has(path))
    const calls = answers.map(([path, answer]) => [path, async () => answer] as const)
    return new Response(await reportOf(Object.fromEntries(calls)))
  }

  #readings(): Record<string, object> {
    return {
      '/metrics': this.metrics,
      ...(this.state !== undefined && {
        '/state': { metrics: this.metrics, version: this.state },
      }),
      '/services': { services: this.services },
      '/sites': { sites: this.sites },
      '/trash': { trash: this.trash },
      '/certificates': { certificates: this.certificates },
      '/usage': { sites: this.usage },
      '/maintenance': { maintenance: this.maintenance },
      '/job-troubles': { sites: [] },
      '/logins': { logins: [] },
      '/php': { php: this.php },
      '/conditions': { conditions: this.conditions },
      ...(this.web && { '/web': this.web }),
      '/sites/health': { sites: this.health },
      ...OF_SITES,
    }
  }

  #planned({ command, params }: Record<string, unknown>): Response {
    this.planned.push({ command, params })
    return Response.json({ plan: this.plan })
  }

  #operate(request: Request, command: string, params: Record<string, unknown>): Response {
    const work = this.works.get(command)
    if (!work) return failure(400, { error: 'Bad request', message: `Unknown command ${command}` })
    const id = request.headers.get('operation-id') ?? crypto.randomUUID()
    const text = `${command} ${withoutPassword(params)}`
    const before = this.#operations.get(id)
    if (!before && this.passwords.lack(command, params)) return failure(409, MISSING)
    const known = before ?? this.#begin(id, text, work(params))
    if (known.request !== undefined && known.request !== text)
      return failure(409, { error: 'Conflict', message: 'The operation is another one' })
    const after = Number(request.headers.get('last-event-id') ?? 0)
    const steps = new URL(request.url).searchParams.get('steps') === 'true'
    return new Response(streamOf(this.#stream(known, after, steps)), {
      headers: { ...STREAM_HEADERS, 'operation-id': id },
    })
  }

  /** A cancelled operation that is unknown ends before it starts. */
  #cancel(id: string, force: boolean): Response {
    this.cancelled.push(`${id} ${force ? 'forced' : 'graceful'}`)
    const known = this.#operations.get(id) ?? unknownOperation()
    this.#operations.set(id, known)
    const ended = known.events.some(isTerminal)
    if (!ended && (force || !this.stubborn)) say(known, 'error', { ...CANCELLED_ERROR })
    return Response.json({ ended: ended || known.request === undefined }, { status: 202 })
  }

  #begin(id: string, request: string, progress: ReturnType<Work>): Known {
    this.started.set(id, (this.started.get(id) ?? 0) + 1)
    const known: Known = { request, events: [], wake: Promise.withResolvers() }
    this.#operations.set(id, known)
    carry(known, progress)
    return known
  }

  async *#stream(known: Known, after: number, steps: boolean): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder()
    const isWanted = (event: StoredEvent) =>
      isNumbered(event) ? event.id > after : steps && event.id >= after
    const cut = this.cuts.shift()
    yield encoder.encode(PING)
    for (let sent = 0, next = 0; sent < (cut ?? this.cut_after); ) {
      const { promise } = known.wake
      const event = known.events[next]
      if (!event) {
        if (known.events.some(isTerminal)) return
        await promise
        continue
      }
      next += 1
      if (!isWanted(event)) continue
      sent += 1
      yield encoder.encode(encodeEvent(event))
      if (isTerminal(event)) return
    }
  }
}

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

const CANCELLED_ERROR = { error: 'Conflict', message: CANCELLED }

function unknownOperation(): Known {
  return { request: undefined, events: [], wake: Promise.withResolvers() }
}

function failure(status: number, body: ErrorBody): Response {
  return Response.json(body, { status })
}
