import { document, faultsOf } from './validator.ts'

type Json = Record<string, unknown>

const object = (value: unknown): Json => Object(value)
const { paths, components } = document
const KNOWN = Object.entries(paths)
  .flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      path,
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`),
    })),
  )
  .sort((one, other) => one.path.split('{').length - other.path.split('{').length)

const found = new Map<string, (typeof KNOWN)[number] | undefined>()

/** Returns the route of a call; the same call is looked up once. */
function routeOf(method: string, pathname: string) {
  const call = `${method} ${pathname}`
  if (!found.has(call)) {
    const isOf = (known: (typeof KNOWN)[number]) =>
      known.method === method && known.pattern.test(pathname)
    found.set(call, KNOWN.find(isOf))
  }
  return found.get(call)
}

/** The last valid text of each place of the document. */
const valid = new Map<string, string>()

const BODY = ['requestBody', 'content', 'application/json', 'schema']
/** Headers of documented answers only. */
const TELLING = ['operation-id', 'etag', 'retry-after']

interface Sent {
  method: string
  path: string
  body?: unknown
}

/**
 * Returns the answer if the OpenAPI document has it for the route: status, headers, body and each
 * event, and the request body if it was accepted. Throws with all differences. The pages of the
 * browser are not checked.
 */
export async function checked(sent: Sent, response: Response): Promise<Response> {
  const [pathname = ''] = sent.path.split('?')
  const method = sent.method === 'HEAD' ? 'GET' : sent.method
  const route = routeOf(method, pathname)
  if (!route) return unknown(pathname, response)
  const { status, headers } = response
  const operation = ['paths', route.path, method.toLowerCase()]
  const { responses, requestBody } = object(object(paths[route.path])[method.toLowerCase()])
  const fail = (...faults: string[]) => {
    if (faults.length === 0) return
    const lines = faults.map((fault) => `\n  ${fault}`).join('')
    throw new Error(`OpenAPI: ${method} ${route.path} answered ${status}:${lines}`)
  }
  const described = object(responses)[status]
  if (!described) fail('it has no such status')
  if (response.ok && requestBody && typeof sent.body === 'object')
    fail(
      ...faultsOf([...operation, ...BODY], trimmed(sent.body)).map((fault) => `it took ${fault}`),
    )
  const place = [...operation, 'responses', String(status)]
  const { path, answer } = resolved(place, object(described))
  fail(...undescribed(headers, object(answer.headers)))
  return bodyChecked(sent, response, { path, content: object(answer.content), fail })
}

/** Strings are trimmed before validation. */
function trimmed(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (_, value) =>
    typeof value === 'string' ? value.trim() : value,
  )
}

/** Under /api, an unknown route is 401 or 404. */
function unknown(pathname: string, response: Response): Response {
  if (pathname.startsWith('/api') && ![401, 403, 404].includes(response.status))
    throw new Error(`OpenAPI: no route ${pathname}, which answered ${response.status}`)
  return response
}

/** Follows a reference to a component. */
function resolved(place: string[], described: Json) {
  if (typeof described.$ref !== 'string') return { path: place, answer: described }
  const path = described.$ref.replace('#/', '').split('/')
  return { path, answer: object(object(components.responses)[path.at(-1) ?? '']) }
}

function undescribed(headers: Headers, described: Json): string[] {
  const names = new Set(Object.keys(described).map((name) => name.toLowerCase()))
  return TELLING.filter((name) => headers.has(name) && !names.has(name)).map(
    (name) => `it has no header ${name}`,
  )
}

interface Described {
  path: string[]
  content: Json
  fail(...faults: string[]): void
}

async function bodyChecked(
  { method }: Sent,
  response: Response,
  { path, content, fail }: Described,
): Promise<Response> {
  const { status, headers } = response
  if (method === 'HEAD') return response
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  const known = Object.keys(content)
  if (known.length === 0) {
    const text = await response.text()
    if (text !== '') fail(`it has no body: ${text}`)
    return new Response(null, { status, headers })
  }
  if (!known.includes(type)) fail(`it has no content of type "${type}", only ${known.join(', ')}`)
  const place = [...path, 'content', type]
  if (type === 'application/json') {
    const text = await response.text()
    const key = place.join(' ')
    if (valid.get(key) !== text) fail(...faultsOf([...place, 'schema'], JSON.parse(text)))
    valid.set(key, text)
    return new Response(text, { status, headers })
  }
  if (type !== 'text/event-stream' || !response.body) return response
  const checkEvent = (kind: string, data: unknown) =>
    fail(...faultsOf([...place, 'x-events', kind, 'schema'], data))
  return new Response(response.body.pipeThrough(eventChecker(checkEvent)), { status, headers })
}

/** Passes the bytes on and checks each event. */
function eventChecker(check: (kind: string, data: unknown) => void) {
  const decoder = new TextDecoder()
  let text = ''
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      text += decoder.decode(chunk, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, kind, data] = /^id: \d+\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? []
        if (kind !== undefined && data !== undefined) check(kind, JSON.parse(data))
      }
      controller.enqueue(chunk)
    },
  })
}
