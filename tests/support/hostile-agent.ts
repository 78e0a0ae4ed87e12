import { encodeEvent, STREAM_HEADERS } from '#shared/sse.ts'

/**
 * An agent of a stolen server, as a separate program: it reports 100,000 new sites in each call,
 * has as many in its trash, and sends output without end.
 */
const SITES = 100_000
const PIECE = 1000
const encoder = new TextEncoder()

const space = { used: 512, total: 2048, unit: 'MB' }
const system = { os: 'Debian GNU/Linux 13 (trixie)', version: '0.1.0' }
const metrics = { cpu: 1, ram: space, disk: space, load: [0, 0, 0], uptime: 60, ...system }
const place = { user: 'shop', docroot: '/srv/www/shop/public', php: '8.4', tier: 'small' }
const wordpress = { tls: 'none', framework: 'wordpress', wp_version: '6.9', db_name: 'shop' }
const found = { ...place, ...wordpress, updates: { plugins: 1, themes: 0, core: true } }
const deleted_at = '2026-01-01T00:00:00.000Z'
const trashed = { user: 'shop', size: 4096, deleted_at, restorable: true }
const most = { bytes: 1e15, files: 1e15, database_bytes: 1e15 }
const usage = { ...most, limit_bytes: 1, limit_files: 1, measured_at: deleted_at }

const unwell = { state: 'down', code: 'http_error', reason: 'x'.repeat(10_000), checks: [] }

let calls = 0
function* list(key: string, facts: object): Generator<string> {
  const call = calls++
  yield `{"${key}":[`
  for (let from = 0; from < SITES; from += PIECE) {
    const domains = Array.from({ length: PIECE }, (_, at) => `s${call}x${from + at}.example.com`)
    const entries = domains.map((domain) => JSON.stringify({ domain, ...facts }))
    yield `${from === 0 ? '' : ','}${entries.join(',')}`
  }
  yield ']}'
}

/** More than any operation has, each of the maximum length; then the promised end. */
function* provision(): Generator<string> {
  const data = { message: 'x'.repeat(16_384) }
  for (let id = 1; id < 1900; id++) yield encodeEvent({ id, event: 'log', data })
  yield encodeEvent({ id: 1900, event: 'complete', data: { status: 'ok', php_versions: [] } })
}

function* endless(): Generator<string> {
  const data = { message: 'x'.repeat(100_000) }
  for (let id = 1; ; id++) yield encodeEvent({ id, event: 'log', data })
}

function answer(chunks: Iterator<string>, headers: Record<string, string> = {}): Response {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = chunks.next()
      if (next.done) controller.close()
      else controller.enqueue(encoder.encode(next.value))
    },
  })
  return new Response(body, { headers })
}

async function exec(request: Request): Promise<Response> {
  const { command } = (await request.json()) as { command: string }
  return answer(command === 'server.provision' ? provision() : endless(), STREAM_HEADERS)
}

const ROUTES: Record<string, (request: Request) => Response | Promise<Response>> = {
  '/metrics': () => Response.json(metrics),
  '/pulse': () =>
    Response.json({ metrics, version: null, health: crypto.randomUUID(), counted: 0 }),
  '/services': () => Response.json({ services: [] }),
  '/sites': () => answer(list('sites', found)),
  '/trash': () => answer(list('trash', trashed)),
  '/usage': () => answer(list('sites', usage)),
  '/sites/health': () => answer(list('sites', unwell)),
  '/exec': exec,
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch: (request) =>
    ROUTES[new URL(request.url).pathname]?.(request) ??
    Response.json({ error: 'Not found' }, { status: 404 }),
})
process.stdout.write(`listening on ${server.url.origin}\n`)
