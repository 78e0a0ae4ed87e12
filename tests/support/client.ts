import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface Call {
  method?: string
  path: string
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown
  headers?: Record<string, string>
}

/** An answer whose body was read to its end; `body` is the parsed JSON where it is JSON. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  body: unknown
}

export interface WireEvent {
  id: number
  event: string
  data: unknown
}

/** Talks to one of our programs; keeps the session cookie that a login gives. */
export class Client {
  readonly base: string
  cookie: string | undefined

  constructor(base: string, cookie?: string) {
    this.base = base
    this.cookie = cookie
  }

  /** The answer as a stream. One of the dashboard's fails if it is not in the OpenAPI document. */
  async open(
    { method = 'GET', path, body, headers = {} }: Call,
    signal?: AbortSignal,
  ): Promise<Response> {
    const response = await fetch(this.base + path, {
      method,
      redirect: 'manual',
      // An agent's certificate is self-signed: these tests do not verify its owner.
      tls: { rejectUnauthorized: false },
      headers: {
        ...(this.cookie === undefined ? {} : { cookie: this.cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
    if (!/^\/(api|agent)\b/.test(path)) return response
    const { checked } = await import('#tests/support/openapi/checked.ts')
    return checked({ method, path, body }, response)
  }

  async send(call: Call): Promise<Answer> {
    return answerOf(await this.open(call))
  }

  get = (path: string) => this.send({ path })
  post = (path: string, body?: unknown) => this.send({ method: 'POST', path, body })
  patch = (path: string, body: unknown) => this.send({ method: 'PATCH', path, body })
  put = (path: string, body: unknown) => this.send({ method: 'PUT', path, body })

  /** Logs in and keeps the cookie. */
  async login(credentials: { email: string; password: string }): Promise<Answer> {
    const answer = await this.post('/api/auth/login', credentials)
    this.cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? this.cookie
    return answer
  }
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const json = response.headers.get('content-type')?.startsWith('application/json')
  const body: unknown = json && text !== '' ? JSON.parse(text) : text
  return { status: response.status, headers: response.headers, text, body }
}

/** The events of a stream's text; throws for other text than events and comments. */
export function eventsOf(text: string): WireEvent[] {
  const blocks = text.split('\n\n')
  if (blocks.pop() !== '') throw new Error(`The stream was cut: ${text.slice(-100)}`)
  return blocks.filter((block) => block !== ': ping').map(eventOf)
}

function eventOf(block: string): WireEvent {
  const [, id, event, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? []
  if (id === undefined || event === undefined || data === undefined) {
    throw new Error(`No event of the wire format: ${JSON.stringify(block)}`)
  }
  return { id: Number(id), event, data: JSON.parse(data) }
}

/** Sends these exact bytes and reads until the other side closes; for invalid HTTP requests. */
export function sendRaw(url: string, request: string, timeout_ms = 10_000): Promise<Answer> {
  const { protocol, port } = new URL(url)
  const to = { port: Number(port), host: '127.0.0.1' }
  return new Promise((resolve, reject) => {
    const send = () => socket.write(request, 'latin1')
    const socket =
      protocol === 'https:'
        ? connectTls({ ...to, rejectUnauthorized: false }, send)
        : connect(to, send)
    const chunks: Buffer[] = []
    socket.setTimeout(timeout_ms, () =>
      socket.destroy(new Error(`no end: ${request.slice(0, 200)}`)),
    )
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(parsed(Buffer.concat(chunks).toString('utf8'))))
  })
}

/** One request line, at most one Host line and any other text; the connection closes afterwards. */
export function rawRequest(method: string, path: string, lines: readonly string[] = []): string {
  return [`${method} ${path} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n')
}

function parsed(received: string): Answer {
  const [head = '', ...rest] = received.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const headers = new Headers()
  for (const field of fields) {
    const colon = field.indexOf(':')
    headers.append(field.slice(0, colon), field.slice(colon + 1).trim())
  }
  const text = rest.join('\r\n\r\n')
  const json = headers.get('content-type')?.startsWith('application/json') && text !== ''
  const body: unknown = json ? JSON.parse(text) : text
  return { status: Number(line.split(' ')[1] ?? 0), headers, text, body }
}
