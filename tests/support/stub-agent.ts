import { afterAll, beforeAll } from 'bun:test'
import type { TrashedSite } from '#shared/agent.ts'
import type { FoundSite } from '#shared/found-site.ts'
import { siteCreate } from '#shared/operation-types/site.create.ts'
import { encodeEvent, STREAM_HEADERS, type StoredEvent } from '#shared/sse.ts'

/** The stub's answer to a command: log lines, then the end; `hold` waits before the last event. */
export interface Script {
  lines?: readonly string[]
  complete?: Record<string, unknown>
  error?: { error: string; message: string }
  hold?: Promise<void>
}

interface Work {
  fingerprint: string
  script: Script
}

const json = (body: unknown, status = 200) => Response.json(body, { status })

/**
 * An agent without effects and with prepared answers: for results that would require a real one to
 * change its machine. Attaches by Operation-Id as the real one does, and counts starts.
 */
export class StubAgent {
  readonly began: string[] = []
  readonly sites: FoundSite[] = []
  readonly trash: TrashedSite[] = []
  readonly #scripts = new Map<string, Script>()
  readonly #deleted = new Map<string, FoundSite>()
  readonly #works = new Map<string, Work>()
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (request) => this.#answer(request),
  })

  get port(): number {
    return this.#server.port ?? 0
  }

  on(command: string, script: Script): void {
    this.#scripts.set(command, script)
  }

  stop(): Promise<void> {
    return this.#server.stop(true)
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const space = { used: 512, total: 2048, unit: 'MB' }
    if (pathname === '/health') return json({ status: 'ok' })
    if (pathname === '/metrics') {
      const load = [0.1, 0.2, 0.3]
      const more = { load, uptime: 60, os: 'Debian GNU/Linux 13 (trixie)', version: '9.8.7' }
      return json({ cpu: 12.5, ram: space, disk: space, ...more })
    }
    if (pathname === '/services') return json({ services: [{ name: 'nginx', status: 'running' }] })
    if (pathname === '/sites') return json({ sites: this.sites })
    if (pathname === '/trash') return json({ trash: this.trash })
    // An older agent than the readings of this version.
    if (request.method === 'GET') return json({ error: 'Not found' }, 404)
    const body = (await request.json()) as { command?: string; params?: object; domain?: string }
    if (pathname === '/sites/db-password') return json({ password: `secret of ${body.domain}` })
    if (pathname === '/sites/wp-scan') return this.#work(request, 'wp.scan', body)
    return this.#work(request, body.command ?? '', body.params)
  }

  /** Like a real one, it has in its trash the deleted sites that were not restored or purged. */
  #trash(command: string, domain: string): void {
    const at = this.sites.findIndex((site) => site.domain === domain)
    if (command === 'site.delete' && at >= 0) {
      const [site] = this.sites.splice(at, 1)
      if (site) this.#deleted.set(domain, site)
      const { user = '', php = '', tier = 'small', tls = 'none' } = site ?? {}
      const deleted_at = new Date().toISOString()
      const facts = { user, php, tier, tls: tls === 'other' ? 'none' : tls } as const
      this.trash.push({ domain, ...facts, size: 4096, deleted_at, restorable: true })
    }
    const back = this.#deleted.get(domain)
    if (command === 'site.restore' && back) this.sites.push(back)
    if (command === 'site.restore' || command === 'site.purge')
      this.trash.splice(
        0,
        Number.POSITIVE_INFINITY,
        ...this.trash.filter((site) => site.domain !== domain),
      )
  }

  /** Like a real one, it reports the sites that it created. */
  #add(params: object): void {
    const made = siteCreate.params.parse(params)
    if (this.sites.some(({ domain }) => domain === made.domain)) return
    const { domain, user, php, tier, tls } = made
    const docroot = `/srv/www/${user}/public`
    const more = { framework: 'wordpress', wp_version: '6.8.1', db_name: user } as const
    const updates = { plugins: 2, themes: 1, core: true }
    this.sites.push({ domain, user, docroot, php, tier, tls, ...more, updates })
  }

  #work(request: Request, command: string, params: object = {}): Response {
    const id = request.headers.get('operation-id') ?? crypto.randomUUID()
    const fingerprint = JSON.stringify([command, params])
    const script = this.#scripts.get(command)
    if (!script) return json({ error: 'Conflict', message: `No script for ${command}` }, 409)
    const known = this.#works.get(id)
    if (known && known.fingerprint !== fingerprint) return json({ error: 'Conflict' }, 409)
    if (!known) this.began.push(fingerprint)
    const work = known ?? { fingerprint, script }
    this.#works.set(id, work)
    if (command === 'site.create' && !script.error) this.#add(params)
    else if (!script.error && 'domain' in params) this.#trash(command, String(params.domain))
    const after = Number(request.headers.get('last-event-id') ?? 0)
    const headers = { ...STREAM_HEADERS, 'operation-id': id }
    return new Response(streamOf(eventsOf(work.script, after)), { headers })
  }
}

async function* eventsOf(script: Script, after: number): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  const { lines = [], complete, error, hold } = script
  const events: StoredEvent[] = [
    ...lines.map((message, index) => ({ id: index + 1, event: 'log' as const, data: { message } })),
    error
      ? { id: lines.length + 1, event: 'error', data: error }
      : { id: lines.length + 1, event: 'complete', data: { status: 'ok', ...complete } },
  ]
  for (const event of events) {
    if (event.event !== 'log') await hold
    if (event.id > after) yield encoder.encode(encodeEvent(event))
  }
}

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const next = await chunks.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
  })
}

/** A stub for the tests of this file. */
export function useStubAgent(): () => StubAgent {
  let stub: StubAgent | undefined
  beforeAll(() => {
    stub = new StubAgent()
  })
  afterAll(() => stub?.stop())
  return () => {
    if (stub === undefined) throw new Error('The stub runs between beforeAll and afterAll only')
    return stub
  }
}
