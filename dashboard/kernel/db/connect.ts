import { type Client, createClient } from '@libsql/client'
import { openHttp, parseLibsqlUrl } from '@libsql/hrana-client'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import { streaming } from './streaming.ts'
import { Streams } from './streams.ts'

const REMOTE_TIMEOUT_MS = 10_000
/** Of the question for the version: after that, nothing kept is sent. */
const VERSION_TIMEOUT_MS = 3_000
/** How long a statement on a file waits for a lock. */
export const LOCK_TIMEOUT_MS = 100
const LOCK_TRIES = 50
const LOCK_PAUSE_MS = 50
const STALE_TRIES = 2

export interface Address {
  url: string
  token?: string | undefined
}

/** `file:`, `http(s)://` or `libsql://`; `connections` at a time, on a file. `using` closes it. */
export function connect(address: Address, connections = 20): Client & Disposable {
  const client = clientOf(address, connections)
  return Object.assign(client, { [Symbol.dispose]: () => client.close() })
}

function clientOf({ url, token }: Address, connections: number): Client {
  if (url.startsWith('file:'))
    return createClient({ url, timeout: LOCK_TIMEOUT_MS, concurrency: connections })
  return createClient({
    url,
    fetch: within(REMOTE_TIMEOUT_MS),
    ...(token ? { authToken: token } : {}),
  })
}

function within(ms: number) {
  return (input: Request) => fetch(input, { signal: AbortSignal.timeout(ms) })
}

/** For the many short statements of a dashboard. */
export function connectToServer(address: Address, timeout = REMOTE_TIMEOUT_MS): Client {
  const { url, token } = address
  const http = url.startsWith('libsql:') ? parseLibsqlUrl(url).hranaHttpUrl : url
  const streams = new Streams(() => openHttp(http ?? url, token, within(timeout)))
  return streaming(connect(address), streams)
}

/** For the version alone, which does not wait behind other statements. */
export function connectForVersion(address: Address): Client {
  return connectToServer(address, VERSION_TIMEOUT_MS)
}

/** The path of a `file:` URL; undefined for a server. */
export function fileOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined
  return decodeURIComponent(url.replace(/^file:(\/\/(localhost)?(?=\/))?/, ''))
}

/**
 * Repeated while the file is locked, so `work` contains only queries. A connection that met a lock
 * stays broken until it is reopened (libsql-client-ts#352), and so does one that was opened on a
 * read-only disk.
 */
export async function persist<T>(client: Client, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const most = triesFor(error)
      if (most > 1) await client.reconnect()
      if (tries >= most) throw error
      await Bun.sleep(LOCK_PAUSE_MS)
    }
  }
}

function triesFor(error: unknown): number {
  if (meets(error, ['SQLITE_BUSY'])) return LOCK_TRIES
  return meets(error, ['SQLITE_READONLY', 'SQLITE_CANTOPEN']) ? STALE_TRIES : 1
}

/** The error and its causes, outermost first: drizzle wraps errors of libSQL. */
export function causes(error: unknown): Error[] {
  const chain: Error[] = []
  for (let next = error; next instanceof Error && chain.length < 5; next = next.cause)
    chain.push(next)
  return chain
}

const FAULTS: Record<string, string> = {
  SQLITE_FULL: 'the disk of the dashboard is full',
  SQLITE_READONLY: 'the database of the dashboard is read-only',
  SQLITE_IOERR: 'the disk of the dashboard fails',
  SQLITE_CANTOPEN: 'the database of the dashboard cannot be opened',
}

/** Why the disk cannot be written; undefined for every other error. */
export function storageFault(error: unknown): string | undefined {
  return causes(error)
    .map((cause) => FAULTS[codeOf(cause)])
    .find((fault) => fault !== undefined)
}

/** For optional writes: a storage fault returns undefined, other errors are thrown. */
export function unlessStorage(error: unknown): undefined {
  if (storageFault(error) === undefined) throw error
  return undefined
}

function meets(error: unknown, codes: readonly string[]): boolean {
  return causes(error).some((cause) => codes.includes(codeOf(cause)))
}
