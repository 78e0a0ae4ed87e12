import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { changesOf } from '#agent/kernel/calls/changes.ts'
import { Enrolment } from '#agent/kernel/trust/enrolment.ts'
import { type Identity, loadIdentity } from '#agent/kernel/trust/identity.ts'
import { TrustedDashboard } from '#agent/kernel/trust/trusted-dashboard.ts'
import type { ReportedAccess } from '#shared/access/site-access.ts'
import { CancelRequest } from '#shared/kernel/agent-requests.ts'
import { CANCELLED, type ErrorBody } from '#shared/kernel/errors.ts'
import type { FoundSite } from '#shared/kernel/found-site.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import { PROTOCOL } from '#shared/kernel/protocol.ts'
import {
  encodeEvent,
  isNumbered,
  isTerminal,
  PING,
  STREAM_HEADERS,
  type StoredEvent,
} from '#shared/kernel/sse.ts'
import type { SiteUsage } from '#shared/metrics/site-usage.ts'
import type { InstalledPhp } from '#shared/php/php-installed.ts'
import type {
  Condition,
  Metrics,
  Service,
  SiteCertificate,
  SiteHealth,
  TrashedSite,
  Web,
} from '#shared/servers/agent.ts'
import { ChangesRequest } from '#shared/servers/changes.ts'
import { EnrolmentRequest } from '#shared/servers/enrolment.ts'
import { siteCreate } from '#shared/sites/site.create.ts'
import type { Maintenance } from '#shared/updates/maintenance.ts'
import { fakeHost } from './fake-host.ts'
import { carry, type Known, Refused, type Script, say, type Work } from './fake-operation.ts'
import { FakePasswords, INCOMPLETE, MISSING, withoutPassword } from './fake-passwords.ts'
import { found } from './found-sites.ts'

type Params = Record<string, unknown>

/** The connection of a request. An answer that writes to it itself, or says nothing, returns undefined. */
interface Wire {
  incoming: IncomingMessage
  outgoing: ServerResponse
}
type Maybe<T> = T | Promise<T>
export type Reply = (request: Request, wire: Wire) => Maybe<Response | undefined>

/** What an agent with TLS has of its own. */
interface Trust {
  identity: Identity
  enrolment: Enrolment
}

export const METRICS: Metrics = {
  cpu: 7,
  ram: { used: 512, total: 2048, unit: 'MB' },
  disk: { used: 10, total: 100, unit: 'MB' },
  load: [0.1, 0.2, 0.3],
  uptime: 3600,
  os: 'Debian GNU/Linux 12',
  version: '1.2.3',
  protocol: PROTOCOL,
}

/** An answer that breaks the connection, before or in its body. */
export const cut: Reply = (_, { incoming }) => void incoming.socket.destroy()
export const cutBody: Reply = (_, { outgoing }) =>
  void outgoing.writeHead(200, { 'content-length': 9 }).destroy()

/** The body of an answer that never ends. */
export async function* spaces(): AsyncGenerator<string> {
  for (;;) {
    yield ' '
    await Bun.sleep(20)
  }
}

const usual = (gerund: string, more = {}): Work =>
  async function* ({ domain }) {
    yield `${gerund} ${domain}`
    return { status: 'ok', domain, ...more }
  }

/** The works of a new agent. */
export const USUAL = {
  'site.create': usual('Creating'),
  'site.delete': usual('Deleting', { size: 4096 }),
  'site.restore': usual('Working on'),
  'site.purge': usual('Working on'),
}

/**
 * A real HTTP server on loopback that speaks the protocol of an agent, and keeps its operations and
 * its sites. It is honest, except where a test sets `answer`, `answers`, `works` or a cut.
 */
export class FakeAgent {
  sites: FoundSite[] = []
  trash: TrashedSite[] = []
  certificates: SiteCertificate[] = []
  usage: SiteUsage[] = []
  access: ReportedAccess[] = []
  maintenance: Maintenance | null = null
  conditions: Condition[] = []
  php: InstalledPhp[] = []
  /** The web programs and the unnamed sites; undefined when the agent does not know the call. */
  web: Web | undefined = { programs: [], unnamed: [] }
  health: SiteHealth[] = []
  /** The time of the last change of the numbers of its sites. */
  counted = 0
  services: Service[] = []
  metrics: Metrics = { ...METRICS }
  /** Each request in order, as `POST /exec`, its URL, and its headers. */
  readonly asked: string[] = []
  readonly urls: string[] = []
  readonly headers: Headers[] = []
  /** Each start of an operation, as its command and the JSON of its params. */
  readonly began: string[] = []
  /** How often each operation was started, which must never be more than once. */
  readonly started = new Map<string, number>()
  readonly works = new Map<string, Work>(Object.entries(USUAL))
  /** Replaces all answers. */
  answer: Reply | undefined
  /** Answers that replace the usual ones, by path. */
  readonly answers = new Map<string, Reply>()
  readonly passwords = new FakePasswords()
  /** The planned calls, and their answer. */
  readonly planned: Params[] = []
  plan: Plan = { steps: [] }
  /** Ends each stream after so many events, as a broken connection does. */
  cut_after = Number.POSITIVE_INFINITY
  /** The same for the next streams, one each. */
  cuts: number[] = []
  /** Each cancel request, as `<id> graceful`. */
  readonly cancelled: string[] = []
  /** Whether a graceful request ends nothing, like a program that ignores SIGTERM. */
  stubborn = false
  readonly #deleted = new Map<string, FoundSite>()
  /** What each command leaves on the machine when it completes. */
  readonly #effects: Readonly<Record<string, (domain: string, params: Params) => void>> = {
    'site.create': (domain, params) => this.#create(domain, params),
    'site.delete': (domain) => this.#delete(domain),
    'site.restore': (domain) => this.#restore(domain),
    'site.purge': (domain) => this.#purge(domain),
  }
  #operations = new Map<string, Known>()
  readonly #trust: Trust | undefined
  readonly #sockets = new Set<Socket>()
  #isStopping = false
  readonly #server: http.Server
  #port: number

  /** Speaks plain HTTP, or TLS with the identity of `trust`. */
  constructor(trust?: Trust, port = 0) {
    this.#trust = trust
    this.#port = port
    const listener = getRequestListener(
      async (request, wire) => (await this.#answer(request, wire as Wire)) ?? RESPONSE_ALREADY_SENT,
      { hostname: 'agent', overrideGlobalObjects: false },
    )
    const { tls_key: key, certificate: cert } = trust?.identity ?? {}
    this.#server = trust
      ? https.createServer({ key, cert, minVersion: 'TLSv1.3' }, listener)
      : http.createServer(listener)
    this.#server.keepAliveTimeout = 80_000
    this.#server.on('connection', (socket: Socket) => {
      socket.on('error', () => undefined)
      // A handshake that was not complete at the stop ends after it.
      if (this.#isStopping) socket.destroy()
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    this.listen()
  }

  /** One with TLS, which proves its identity during an open code. */
  static async enrollable(port = 0): Promise<FakeAgent> {
    const { files } = fakeHost()
    const state_dir = '/var/lib/hosting-agent'
    const identity = await loadIdentity(files, state_dir, Date.now())
    const trust = new TrustedDashboard(files, state_dir)
    const now = () => Date.now() / 1000
    const enrolment = new Enrolment({ files, state_dir, identity, trust, now })
    return new FakeAgent({ identity, enrolment }, port)
  }

  get identity(): Identity {
    return this.#trusted().identity
  }

  get enrolment(): Enrolment {
    return this.#trusted().enrolment
  }

  #trusted(): Trust {
    if (!this.#trust) throw new Error('This agent speaks plain HTTP')
    return this.#trust
  }

  get port(): number {
    return this.#port
  }

  /** Starts again on the same port after `stop`. */
  listen(): void {
    this.#isStopping = false
    this.#server.listen(this.#port, '127.0.0.1')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** The output of a command from now on, whatever its params are. */
  says(command: string, { lines = [], complete, error, hold }: Script): void {
    this.works.set(command, async function* () {
      yield* lines
      await hold
      if (error) throw new Refused(error)
      return { status: 'ok', ...complete }
    })
  }

  /** Like an agent that lost its memory of running operations. */
  forget(): void {
    this.#operations = new Map()
  }

  #create(domain: string, params: Params): void {
    if (this.sites.some((site) => site.domain === domain)) return
    const { user, php, tier, tls } = siteCreate.params.parse(params)
    const updates = { plugins: null, themes: null, core: null }
    const made = found(domain, { user, php, tier, tls, wp_version: '6.8.1', updates })
    this.sites = [...this.sites, made]
  }

  #delete(domain: string): void {
    const site = this.sites.find((each) => each.domain === domain)
    if (site) this.#deleted.set(domain, site)
    this.sites = this.sites.filter((each) => each !== site)
    const { user, php, tier, tls } = site ?? found(domain)
    const facts = { user, php, tier, tls: tls === 'other' ? 'none' : tls } as const
    const deleted_at = new Date().toISOString()
    this.trash = [...this.trash, { domain, ...facts, size: 4096, deleted_at, restorable: true }]
  }

  #restore(domain: string): void {
    const site = this.#deleted.get(domain)
    if (site) this.sites = [...this.sites, site]
    this.#purge(domain)
  }

  #purge(domain: string): void {
    this.#deleted.delete(domain)
    this.trash = this.trash.filter((site) => site.domain !== domain)
  }

  async #answer(request: Request, wire: Wire): Promise<Response | undefined> {
    const { pathname } = new URL(request.url)
    this.asked.push(`${request.method} ${pathname}`)
    this.urls.push(request.url)
    this.headers.push(request.headers)
    const instead = this.answer ?? this.answers.get(pathname)
    if (instead && (await this.#lacksPassword(pathname, request))) return failure(409, MISSING)
    if (instead) return instead(request, wire)
    if (request.method === 'GET') return this.#read(request, pathname)
    const body: Params = Object(await request.json())
    if (pathname === '/enrol') return this.#prove(body)
    if (pathname === '/exec' && body.dry_run === true) return this.#planned(body)
    if (pathname === '/exec')
      return this.#operate(request, String(body.command), Object(body.params))
    const [, cancelled] = /^\/operations\/([\w-]+)\/cancel$/.exec(pathname) ?? []
    if (cancelled !== undefined) return this.#cancel(cancelled, CancelRequest.parse(body).force)
    if (pathname === '/sites/wp-scan') return this.#operate(request, 'wp.scan', body)
    return this.#read(request, pathname)
  }

  async #read(request: Request, path: string): Promise<Response> {
    if (path === '/changes') return this.#changes(request)
    const reading = this.#readings()[path]
    return reading ? Response.json(reading) : noSuchCall()
  }

  async #prove(body: object): Promise<Response> {
    return Response.json(await this.enrolment.answer(EnrolmentRequest.parse(body)))
  }

  /** Without the readings that a test answers, or that it lacks. */
  async #changes({ url, signal }: Request): Promise<Response> {
    const params = ChangesRequest.parse(Object.fromEntries(new URL(url).searchParams))
    const ask = async (at: string): Promise<never> => {
      const path = at.replace('GET ', '')
      const isAnswered = this.answers.has(path) && path !== '/metrics'
      const reading = isAnswered ? undefined : this.#readings()[path]
      if (!reading) throw new Error(`${path} is answered alone`)
      return reading as never
    }
    const counted = () => this.counted
    const changes = await changesOf({
      params,
      signal,
      ask,
      host: { clock: { elapsed: () => performance.now(), sleep: Bun.sleep } },
      health: () => this.health,
      numbers: {
        list: () => [],
        get changed() {
          return counted()
        },
      },
    })
    for (const path of this.answers.keys()) delete changes.answers[path]
    return Response.json(changes)
  }

  async #lacksPassword(path: string, request: Request): Promise<boolean> {
    if (!path.startsWith('/backups/')) return false
    return this.passwords.lack(path, Object(await request.clone().json()))
  }

  #readings(): Record<string, object> {
    return {
      '/metrics': this.metrics,
      '/services': { services: this.services },
      '/sites': { sites: this.sites },
      '/trash': { trash: this.trash },
      '/certificates': { certificates: this.certificates },
      '/usage': { sites: this.usage },
      '/maintenance': { maintenance: this.maintenance },
      '/job-troubles': { sites: [] },
      '/logins': { logins: [] },
      '/sites/numbers': { sites: [] },
      '/php': { php: this.php },
      '/conditions': { conditions: this.conditions },
      '/mail': { running: true, sites: [] },
      '/access': { sites: this.access },
      ...(this.web && { '/web': this.web }),
      '/sites/health': { sites: this.health },
      ...OF_SITES,
    }
  }

  #planned({ command, params }: Params): Response {
    this.planned.push({ command, params })
    return Response.json({ plan: this.plan })
  }

  #operate(request: Request, command: string, params: Params): Response {
    const work = this.works.get(command)
    if (!work) return failure(400, { error: 'Bad request', message: `Unknown command ${command}` })
    const id = request.headers.get('operation-id') ?? crypto.randomUUID()
    const text = `${command} ${withoutPassword(params)}`
    const before = this.#operations.get(id)
    if (!before && this.passwords.lack(command, params)) return failure(409, MISSING)
    if (this.passwords.incomplete.has(String(params.repository))) return failure(409, INCOMPLETE)
    const known = before ?? this.#begin(id, text, this.#perform(command, params, work))
    if (known.request !== undefined && known.request !== text)
      return failure(409, { error: 'Conflict', message: 'The operation is another one' })
    const after = Number(request.headers.get('last-event-id') ?? 0)
    const steps = new URL(request.url).searchParams.get('steps') === 'true'
    return new Response(streamOf(this.#stream(known, after, steps)), {
      headers: { ...STREAM_HEADERS, 'operation-id': id },
    })
  }

  async *#perform(command: string, params: Params, work: Work): ReturnType<Work> {
    const result = yield* work(params)
    this.#effects[command]?.(String(params.domain), params)
    return result
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
    this.began.push(request)
    this.started.set(id, (this.started.get(id) ?? 0) + 1)
    const known: Known = { request, events: [], wake: Promise.withResolvers() }
    this.#operations.set(id, known)
    carry(known, progress)
    return known
  }

  async *#stream(known: Known, after: number, steps: boolean): AsyncGenerator<string> {
    const isWanted = (event: StoredEvent) =>
      isNumbered(event) ? event.id > after : steps && event.id >= after
    const cut = this.cuts.shift()
    yield PING
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
      yield encodeEvent(event)
      if (isTerminal(event)) return
    }
  }
}

/** The answers about any site, by path. */
const OF_SITES = {
  '/sites/job-runs': { runs: [] },
  '/sites/jobs': { stopped: null, jobs: [] },
  '/sites/database': {
    tables: [],
    table_count: 0,
    data_bytes: 0,
    index_bytes: 0,
    free_bytes: 0,
    options: [],
    queries: null,
  },
  '/sites/database-upload': { part: 0 },
  '/sites/database-users': { users: [] },
  '/sites/database-exporting': { export: null },
  '/sites/job-output': { run: null, output: '' },
  '/sites/wordpress-cron': { events: [], total: 0, overdue: 0, next_run_at: null, stopped: null },
  '/sites/wordpress-users': { users: [], more: false },
  '/sites/sessions': { sessions: [] },
  '/sites/object-cache': { memory: null, limit: null, numbers: null, drop_in: 'none', other: null },
  '/sites/logs/list': { logs: [], debug_until: null },
}

/** The text of a stream, which is made as it is read. */
export function streamOf(
  chunks: Iterator<string> | AsyncIterator<string>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
}

const CANCELLED_ERROR = { error: 'Conflict', message: CANCELLED, code: 'cancelled' }

function unknownOperation(): Known {
  return { request: undefined, events: [], wake: Promise.withResolvers() }
}

function noSuchCall(): Response {
  return failure(404, { error: 'Not found', message: 'No such call' })
}

function failure(status: number, body: ErrorBody): Response {
  return Response.json(body, { status })
}
