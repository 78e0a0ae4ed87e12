import { encodeEvent, STREAM_HEADERS } from '#shared/kernel/sse.ts'
import { FakeAgent, METRICS, streamOf } from './fake-agent.ts'
import { found } from './found-sites.ts'

/**
 * An agent of a stolen server, as a separate program: it reports 100,000 new sites in each call,
 * has as many in its trash, and sends output without end.
 */
const SITES = 100_000
const PIECE = 1000

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
    const entries = domains.map((domain) => JSON.stringify({ ...facts, domain }))
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

const agent = new FakeAgent()
agent.answers.set('/changes', (request) => {
  // Everything has changed each time, and nothing of it fits into the answer.
  const named = new URL(request.url).searchParams.get('since') ?? ''
  const parts = named.split(' ').map((pair) => pair.replace(/\..*/, ''))
  const versions = Object.fromEntries(parts.map((part) => [part, crypto.randomUUID()]))
  return Response.json({ metrics: METRICS, versions, answers: {} })
})
for (const [path, key, facts] of [
  ['/sites', 'sites', found('')],
  ['/trash', 'trash', trashed],
  ['/usage', 'sites', usage],
  ['/sites/health', 'sites', unwell],
] as const)
  agent.answers.set(path, () => new Response(streamOf(list(key, facts))))
agent.answers.set('/exec', async (request) => {
  const { command } = await request.json()
  const output = command === 'server.provision' ? provision() : endless()
  return new Response(streamOf(output), { headers: STREAM_HEADERS })
})
process.stdout.write(`listening on http://127.0.0.1:${agent.port}\n`)
