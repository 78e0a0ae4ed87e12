import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDashboard } from '#scripts/build-dashboard.ts'
import { readEvents, type StoredEvent } from '#shared/kernel/sse.ts'
import { writeOperations } from '#tests/support/lab/commands-run.ts'
import { type Process, reach, startInside } from './inside.ts'

const ROOT = join(import.meta.dir, '../../..')

export const ADMIN = { email: 'ops@example.test', password: 'correct horse battery' }

export interface Answer {
  status: number
  body: Record<string, unknown>
  headers: Headers
}

interface Running {
  id: string
  events: AsyncIterable<StoredEvent>
}

/** The real dashboard on a host's network, with a logged-in client. */
export interface Dashboard {
  process: Process
  data_dir: string
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** The answer with its body unread. */
  open(path: string, signal?: AbortSignal): Promise<Response>
  /** Without the session: only what `init` has. */
  visit(path: string, init: RequestInit): Promise<Response>
  /** Starts an operation: its id, and its events while it runs. Throws for any other answer. */
  start(method: string, path: string, body?: unknown): Promise<Running>
  /** Reads a stream to its end. */
  stream(method: string, path: string, body?: unknown): Promise<StoredEvent[]>
  stop(): Promise<void>
}

interface Where {
  /** Its address, also for the servers. */
  address?: string
  env?: Record<string, string>
}

export async function startDashboard(
  netns: string,
  { address = '127.0.0.1', env = {} }: Where = {},
): Promise<Dashboard> {
  const folder = mkdtempSync(join(tmpdir(), 'dashboard-'))
  const { file } = await buildDashboard(ROOT)
  const { DATA_DIR: data_dir = join(folder, 'data') } = env
  const process = await startInside(netns, [file], /^listening on/, {
    DATA_DIR: data_dir,
    HOST: address,
    PORT: '3000',
    PUBLIC_URL: `http://${address}:3000`,
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    ...env,
  })
  const way = await reach(netns, join(folder, 'http.sock'), address, 3000)
  let cookie = ''
  const sendOnce = (method: string, path: string, body: unknown, accept: string) =>
    way.fetch(`http://localhost${path}`, {
      method,
      // The server closes a connection that was idle for too long.
      keepalive: false,
      headers: {
        cookie,
        accept,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  /** As the pages do: a call that needs a recent password is sent again after it was confirmed. */
  const send: typeof sendOnce = async (...sent) => {
    const response = await sendOnce(...sent)
    if (response.status !== 409) return response
    const { code } = (await response.clone().json()) as { code?: string }
    if (code !== 'confirmation_needed') return response
    const { password } = ADMIN
    await sendOnce('POST', '/api/auth/confirm', { password }, 'application/json')
    return sendOnce(...sent)
  }
  const dashboard: Dashboard = {
    process,
    data_dir,
    async call(method, path, body) {
      const response = await send(method, path, body, 'application/json')
      const text = await response.text()
      const { status, headers } = response
      return { status, headers, body: text === '' ? {} : JSON.parse(text) }
    },
    open: (path, signal) =>
      way.fetch(`http://localhost${path}`, { headers: { cookie }, ...(signal && { signal }) }),
    visit: (path, init) => way.fetch(`http://localhost${path}`, { keepalive: false, ...init }),
    async start(method, path, body) {
      const response = await send(method, path, body, 'text/event-stream')
      if (response.status !== 200)
        throw new Error(`${path}: ${response.status} ${await response.text()}`)
      const id = response.headers.get('operation-id') ?? ''
      return { id, events: readEvents(response.body ?? new ReadableStream()) }
    },
    stream: async (...call) => Array.fromAsync((await dashboard.start(...call)).events),
    async stop() {
      await way.stop()
      await process.stop()
      writeOperations(data_dir)
      rmSync(folder, { recursive: true, force: true })
    },
  }
  const login = await send('POST', '/api/auth/login', ADMIN, 'application/json')
  if (login.status !== 200) throw new Error(`login: ${login.status} ${await login.text()}`)
  cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  return dashboard
}

/** Follows the operation of a response to its end and returns its last event. */
export async function endOf(dashboard: Dashboard, { headers }: Answer): Promise<StoredEvent> {
  const id = headers.get('operation-id')
  const events = await dashboard.stream('GET', `/api/operations/${id}/events`)
  const last = events.at(-1)
  if (!last) throw new Error(`operation ${id} has no events`)
  return last
}
