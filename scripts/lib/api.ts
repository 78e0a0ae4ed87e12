import { readEvents } from '#shared/kernel/sse.ts'

const ANSWER_LIMIT_MS = 30_000

type Answer = { status: number; body: unknown; headers: Headers }

/** This is a dashboard's REST API, as one of its users. */
export class Api {
  readonly #base: string
  readonly #headers: Record<string, string>

  constructor(base: string, credentials: Record<string, string>) {
    this.#base = base
    this.#headers = credentials
  }

  /** Returns the answer with any status; throws only without an answer. */
  async request(method: string, path: string, body?: unknown): Promise<Answer> {
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS)
    const response = await this.#send(method, path, body, signal)
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: parseJson(text) }
  }

  /** Returns the body of a 2xx answer; otherwise throws the message of the dashboard. */
  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.request(method, path, body)
    if (answer.status >= 200 && answer.status < 300) return answer
    throw new Error(`${method} ${path}: ${messageOf(answer)}`)
  }

  /** Follows an event stream, passes each log line on, and returns the data of its completion. */
  async follow(
    method: string,
    path: string,
    { body, onLog }: { body?: unknown; onLog?: (line: string) => void } = {},
  ): Promise<Record<string, unknown>> {
    const response = await this.#send(method, path, body)
    if (!response.ok || !response.body) {
      const refusal = parseJson(await response.text())
      throw new Error(messageOf({ status: response.status, body: refusal }))
    }
    for await (const { event, data } of readEvents(response.body)) {
      if (event === 'complete') return data
      if (event === 'error') throw new Error(String(data.message ?? data.error))
      onLog?.(String(data.message))
    }
    throw new Error('the connection broke before the end')
  }

  #send(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    return fetch(new URL(path, this.#base), {
      method,
      headers: { ...this.#headers, ...json },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    })
  }
}

/** Returns the readable part of an error body. */
export function messageOf({ status, body }: Pick<Answer, 'status' | 'body'>): string {
  const { error, message, fields } = (body ?? {}) as {
    error?: string
    message?: string
    fields?: Record<string, string[]>
  }
  const named = Object.entries(fields ?? {}).map(([name, texts]) => `${name}: ${texts.join(', ')}`)
  return message ?? (named.join('; ') || error) ?? `status ${status}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
