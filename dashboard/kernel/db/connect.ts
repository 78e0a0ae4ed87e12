import {
  type Client,
  createClient,
  LibsqlBatchError,
  LibsqlError,
  type ResultSet,
  type TransactionMode,
} from '@libsql/client'
import {
  BatchCond,
  ClientError,
  type HttpClient,
  HttpServerError,
  type HttpStream,
  openHttp,
  parseLibsqlUrl,
  ResponseError,
  type RowsResult,
  Stmt,
} from '@libsql/hrana-client'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import { Limit } from '#dashboard/kernel/runtime/limit.ts'
import { BEGIN, type StatementBatch, sqlAndArgs, withArgs, withMethods } from './statements.ts'

const REMOTE_TIMEOUT_MS = 10_000
/** The timeout of the query for the version; after a timeout, no kept answer is sent. */
const VERSION_TIMEOUT_MS = 3_000
/** How long a statement on a file waits for a lock. */
export const LOCK_TIMEOUT_MS = 100
const LOCK_TRIES = 50
const LOCK_PAUSE_MS = 50
const STALE_TRIES = 2

export interface DatabaseAddress {
  url: string
  token?: string | undefined
}

/** Connects to `file:`, `http(s)://` or `libsql://`; `using` closes the client. */
export function connect(address: DatabaseAddress, connections = 20): Client & Disposable {
  const client = clientOf(address, connections)
  return Object.assign(client, { [Symbol.dispose]: () => client.close() })
}

function clientOf({ url, token }: DatabaseAddress, connections: number): Client {
  if (url.startsWith('file:'))
    return createClient({ url, timeout: LOCK_TIMEOUT_MS, concurrency: connections })
  return createClient({
    url,
    fetch: fetchWithTimeout(REMOTE_TIMEOUT_MS),
    ...(token ? { authToken: token } : {}),
  })
}

function fetchWithTimeout(ms: number) {
  return (input: Request) => fetch(input, { signal: AbortSignal.timeout(ms) })
}

/** Connects to a server for the many short statements of a dashboard. */
export function connectToServer(address: DatabaseAddress, timeout = REMOTE_TIMEOUT_MS): Client {
  const { url, token } = address
  const http = url.startsWith('libsql:') ? parseLibsqlUrl(url).hranaHttpUrl : url
  const streams = new StreamPool(() => openHttp(http ?? url, token, fetchWithTimeout(timeout)))
  return streamingClient(connect(address), streams)
}

/** Connects to a server for the version alone, which does not wait behind other statements. */
export function connectForVersion(address: DatabaseAddress): Client {
  return connectToServer(address, VERSION_TIMEOUT_MS)
}

/** Returns the path of a `file:` URL; undefined for a server. */
export function databaseFileOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined
  return decodeURIComponent(url.replace(/^file:(\/\/(localhost)?(?=\/))?/, ''))
}

/**
 * Repeats work while the file is locked, so `work` contains only queries. A connection that met a
 * lock stays broken until it is reopened (libsql-client-ts#352), and so does one that was opened on
 * a read-only disk.
 */
export async function withLockRetries<T>(client: Client, work: () => Promise<T>): Promise<T> {
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
  if (hasCode(error, ['SQLITE_BUSY'])) return LOCK_TRIES
  return hasCode(error, ['SQLITE_READONLY', 'SQLITE_CANTOPEN']) ? STALE_TRIES : 1
}

/** Lists the error and its causes, outermost first: drizzle wraps errors of libSQL. */
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

/** Returns why the disk cannot be written; undefined for every other error. */
export function storageFault(error: unknown): string | undefined {
  return causes(error)
    .map((cause) => FAULTS[codeOf(cause)])
    .find((fault) => fault !== undefined)
}

/** Ignores a storage fault of an optional write, and throws other errors. */
export function ignoreStorageFault(error: unknown): undefined {
  if (storageFault(error) === undefined) throw error
  return undefined
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return causes(error).some((cause) => codes.includes(codeOf(cause)))
}

/** Returns a client of a server that executes statements and batches on streams that stay open. */
export function streamingClient(client: Client, streams: StreamPool): Client {
  const own: Pick<Client, 'execute' | 'batch' | 'reconnect' | 'close'> = {
    execute: (
      statement: Parameters<Client['execute']>[0],
      args?: Parameters<Client['execute']>[1],
    ) => streams.use((stream) => executeOn(stream, withArgs(statement, args))).catch(rethrow),
    batch: (statements: StatementBatch, mode: TransactionMode = 'deferred') =>
      streams.use((stream) => batchOn(stream, statements, mode)).catch(rethrow),
    async reconnect() {
      streams.reconnect()
      await client.reconnect()
    },
    close() {
      streams.close()
      client.close()
    },
  }
  return withMethods(client, own)
}

async function executeOn(
  stream: HttpStream,
  statement: StatementBatch[number],
): Promise<ResultSet> {
  return resultOf(await stream.query(stmtOf(statement)))
}

/** Executes a batch in one round trip, each step after the success of the one before. */
async function batchOn(
  stream: HttpStream,
  statements: StatementBatch,
  mode: TransactionMode,
): Promise<ResultSet[]> {
  const batch = stream.batch(false)
  const begin = batch.step()
  const begun = begin.run(BEGIN[mode])
  let last = begin
  const running = statements.map((statement) => {
    last = batch.step().condition(BatchCond.ok(last))
    return last.query(stmtOf(statement))
  })
  const commit = batch.step().condition(BatchCond.ok(last))
  const committed = commit.run('COMMIT')
  const rollback = batch.step().condition(BatchCond.not(BatchCond.ok(commit)))
  const steps = [begun, ...running, committed, rollback.run('ROLLBACK')]
  const outcomes = Promise.allSettled(steps)
  await batch.execute()
  await outcomes
  await begun
  const results = await Promise.all(running.map((result, place) => result.catch(failedAt(place))))
  await committed
  return results.map((rows, place) => (rows ? resultOf(rows) : notExecuted(place)))
}

function failedAt(place: number) {
  return (error: unknown) => {
    const { message, code, cause } = libsqlError(error)
    throw new LibsqlBatchError(message, place, code, undefined, undefined, cause as Error)
  }
}

function notExecuted(place: number): never {
  throw new LibsqlBatchError('The statement was not executed', place, 'TRANSACTION_CLOSED')
}

function stmtOf(statement: StatementBatch[number]): Stmt {
  const [sql, args] = sqlAndArgs(statement)
  const stmt = new Stmt(sql)
  if (Array.isArray(args)) return stmt.bindIndexes(args)
  for (const [name, value] of Object.entries(args)) stmt.bindName(name, value)
  return stmt
}

function resultOf(rows: RowsResult): ResultSet {
  const result = {
    columns: rows.columnNames.map((name) => name ?? ''),
    columnTypes: rows.columnDecltypes.map((type) => type ?? ''),
    rows: rows.rows,
    rowsAffected: rows.affectedRowCount,
    lastInsertRowid: rows.lastInsertRowid,
  }
  const toJSON = () => ({ ...result, lastInsertRowid: result.lastInsertRowid?.toString() })
  return { ...result, toJSON }
}

function rethrow(error: unknown): never {
  throw error instanceof ClientError ? libsqlError(error) : error
}

function libsqlError(error: unknown): LibsqlError {
  if (error instanceof LibsqlError) return error
  const code = error instanceof ResponseError ? error.code : undefined
  const message = error instanceof Error ? error.message : String(error)
  return new LibsqlError(message, code ?? 'SERVER_ERROR', undefined, undefined, error as Error)
}

/** The maximum of streams, as the client of `@libsql/client` has it. */
const MAX_STREAMS = 20
/** The maximum of idle streams, each of which has a connection of the server to the records. */
const MAX_IDLE = 8

/**
 * Streams of statements on a libSQL server. They stay open: the server opens the records for each
 * stream, which takes longer than most statements. It closes those that are idle for 10 seconds.
 */
export class StreamPool {
  readonly #connect: () => HttpClient
  readonly #limit = new Limit(MAX_STREAMS)
  #client: HttpClient
  /** The idle streams, of which the last one is used next. */
  #idle: HttpStream[] = []

  constructor(connect: () => HttpClient) {
    this.#connect = connect
    this.#client = connect()
  }

  use<T>(work: (stream: HttpStream) => Promise<T>): Promise<T> {
    return this.#limit.run(async () => {
      const idle = this.#idle.pop()
      if (idle === undefined) return this.#run(this.#client.openStream(), work)
      try {
        return await this.#run(idle, work)
      } catch (error) {
        if (!isUnknownStream(error)) throw error
        return this.#run(this.#client.openStream(), work)
      }
    })
  }

  reconnect(): void {
    this.close()
    this.#client = this.#connect()
  }

  close(): void {
    this.#idle = []
    this.#client.close()
  }

  async #run<T>(stream: HttpStream, work: (stream: HttpStream) => Promise<T>): Promise<T> {
    try {
      return await work(stream)
    } finally {
      if (stream.client() !== this.#client || this.#idle.length >= MAX_IDLE) stream.close()
      else if (!stream.closed) this.#idle.push(stream)
    }
  }
}

/** Whether the server has closed a stream, or was started again: it has executed nothing. */
function isUnknownStream(error: unknown): boolean {
  if (error instanceof HttpServerError) return error.status === 400
  return error instanceof ResponseError && error.code === 'STREAM_EXPIRED'
}
