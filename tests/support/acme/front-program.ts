import { createInterface } from 'node:readline'

/**
 * Listens at `listen` before an ACME directory, and prints what it answers: one line for each
 * order, for each validation that failed, and for each suggested renewal. Lines of its input make it
 * suggest one, and refuse orders, or everything.
 */
const [listen = '', directory = '', ca = '', certificate = '', key = ''] = process.argv.slice(2)
const [hostname = '', port = ''] = listen.split(':')
const tls = { ca: await Bun.file(ca).text() }
const print = (event: object) => console.log(JSON.stringify(event))
/** By the path of a challenge. */
const names = new Map<string, string>()
const failed = new Set<string>()
let retry_after: string | undefined
/** The window of renewal of one certificate: of the first one that is asked for. */
let suggested: { start: string; end: string } | undefined
let suggested_for: string | undefined

async function pass(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith(RENEWAL)) return suggest(pathname.slice(RENEWAL.length))
  const isOrder = /order-plz|new-?order/i.test(pathname)
  if (isOrder && retry_after !== undefined) {
    print({ order: 'limited' })
    return limited(retry_after)
  }
  const headers = new Headers(request.headers)
  headers.set('host', listen)
  headers.set('accept-encoding', 'identity')
  const body = request.method === 'POST' ? await request.arrayBuffer() : null
  const { method } = request
  const answer = await fetch(`${directory}${pathname}`, { method, headers, body, tls })
  const text = await answer.text()
  // One whose nonce was refused is sent again.
  if (isOrder && answer.ok) print({ order: 'passed' })
  noteFailures(pathname, text)
  const own = new Headers(answer.headers)
  for (const name of ['content-length', 'content-encoding', 'connection']) own.delete(name)
  const { status } = answer
  return new Response(text === '' ? null : withoutTimes(text), { status, headers: own })
}

const RENEWAL = '/renewal-info/'

function suggest(id: string): Response {
  suggested_for ??= id
  if (!suggested || id !== suggested_for) return new Response(null, { status: 404 })
  print({ suggested: id })
  const headers = { 'retry-after': '3600' }
  return Response.json({ suggestedWindow: suggested }, { headers })
}

const limited = (after: string) =>
  Response.json(
    { type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many new orders recently' },
    { status: 429, headers: { 'retry-after': after } },
  )

/** A challenge that becomes invalid is a failed validation of the name in its authorization. */
function noteFailures(path: string, text: string): void {
  if (text.includes('"identifier"') && text.includes('"challenges"')) {
    const { identifier, challenges } = JSON.parse(text)
    for (const { url } of challenges) names.set(new URL(url).pathname, identifier.value)
  }
  const name = names.get(path)
  if (name === undefined || failed.has(path) || JSON.parse(text).status !== 'invalid') return
  failed.add(path)
  print({ failed: name })
}

/** Without a suggestion, the share of the lifetime decides about a renewal. */
function withoutTimes(text: string): string {
  if (!text.includes('"newOrder"')) return text
  const { renewalInfo: _, ...rest } = JSON.parse(text)
  const own = suggested && { renewalInfo: `https://${listen}${RENEWAL}`.slice(0, -1) }
  return JSON.stringify({ ...rest, ...own })
}

const files = { cert: Bun.file(certificate), key: Bun.file(key) }
const start = () => Bun.serve({ hostname, port: Number(port), tls: files, fetch: pass })
let server: ReturnType<typeof start> | undefined = start()
print({ ready: true })
for await (const line of createInterface({ input: process.stdin })) {
  const [word, value, end = ''] = line.split(' ')
  if (word === 'limit') retry_after = value
  if (word === 'suggest') suggested = value === undefined ? undefined : { start: value, end }
  if (word === 'down') {
    await server?.stop(true)
    server = undefined
  }
  if (word === 'up') server ??= start()
  print({ done: word })
}
process.exit(0)
