import { type Client, createClient } from '@libsql/client'

const REMOTE_TIMEOUT_MS = 10_000
const LOCK_TIMEOUT_MS = 100
const LOCK_TRIES = 50
const LOCK_PAUSE_MS = 50

export interface Address {
  url: string
  token?: string | undefined
}

/** `file:`, `http(s)://` or `libsql://`; `connections` at a time, on a file. */
export function connect({ url, token }: Address, connections = 20): Client {
  if (url.startsWith('file:'))
    return createClient({ url, timeout: LOCK_TIMEOUT_MS, concurrency: connections })
  const limited = (input: Request) =>
    fetch(input, { signal: AbortSignal.timeout(REMOTE_TIMEOUT_MS) })
  return createClient({ url, fetch: limited, ...(token ? { authToken: token } : {}) })
}

/** The path of a `file:` URL; undefined for a server. */
export function fileOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined
  return decodeURIComponent(url.replace(/^file:(\/\/(localhost)?(?=\/))?/, ''))
}

/**
 * Runs again while the file is locked, so `work` holds queries and nothing else. A connection that
 * met a lock, or a disk that is full, stays broken until it is opened anew (libsql-client-ts#352).
 */
export async function persist<T>(client: Client, work: () => Promise<T>): Promise<T> {
  for (let left = LOCK_TRIES; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (isLocked(error) || storageFault(error)) await client.reconnect()
      if (left === 0 || !isLocked(error)) throw error
      await Bun.sleep(LOCK_PAUSE_MS)
    }
  }
}

/** The error and what caused it, outermost first: drizzle wraps what libSQL throws. */
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

/** Why nothing can be written until somebody mends the disk; undefined for every other error. */
export function storageFault(error: unknown): string | undefined {
  for (const cause of causes(error))
    if ('code' in cause && typeof cause.code === 'string' && FAULTS[cause.code])
      return FAULTS[cause.code]
  return undefined
}

function isLocked(error: unknown): boolean {
  return causes(error).some((cause) => 'code' in cause && cause.code === 'SQLITE_BUSY')
}
