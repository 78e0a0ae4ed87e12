import { lstat, readFile } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import type { ConnectionConfig, Pool, PoolConnection, SqlError } from 'mariadb'
import {
  type DatabaseProblem,
  DatabaseUnavailable,
} from '#agent/kernel/host/database-unavailable.ts'
import { messageOf } from '#shared/kernel/errors.ts'

const CONNECT_MS = 3000
/** The maximum wait for a lock that a connection of an administrator may hold. */
const LOCK_SECONDS = 30
/** The time for which a failure is remembered. A stopped server fails immediately anyway. */
const REMEMBERED_MS: Record<DatabaseProblem, number> = { stopped: 0, denied: 3000, silent: 30_000 }
/** The maximum wait for statements of others: queries end after 15 s, others after 10 minutes. */
const MAX_WAIT_MS = 60_000
const MAX_CONNECTIONS = 4
const BUSY = `other work used all ${MAX_CONNECTIONS} connections for ${MAX_WAIT_MS / 1000} seconds`
/** The errors of the pool: its limit was reached, or it was closed. */
const POOL_ERRORS = new Set([
  'ER_GET_CONNECTION_TIMEOUT',
  'ER_CLOSING_POOL',
  'ER_POOL_ALREADY_CLOSED',
])
/** MariaDB's errors for denied access, also where the account has another authentication. */
const DENIED = new Set([1044, 1045, 1698, 1251, 1275, 1524])

export interface Connections {
  /** Throws DatabaseUnavailable within seconds, and immediately while a failure is remembered. */
  take(): Promise<PoolConnection>
  /** Returns the error of a connection that was lost without an answer. */
  silent(reason: string): DatabaseUnavailable
}

interface ConnectionTarget {
  socket: string
  connect_ms: number
}

/** Connections of root to the socket of MariaDB. One connection tests the server before a pool retries. */
export function openConnections(
  socket: string,
  option_files: readonly string[] = OPTION_FILES,
  connect_ms = CONNECT_MS,
): Connections {
  const place = { socket, connect_ms }
  let pool: Pool | undefined
  /** The pool that connects now: calls that come together share it. */
  let opening: Promise<Pool> | undefined
  let waiting = 0
  let failure: { error: DatabaseUnavailable; until: number } | undefined
  const leave = () => {
    const former = pool
    pool = undefined
    void former?.end().catch(() => undefined)
  }
  const failed = (error: DatabaseUnavailable, from = pool) => {
    failure = { error, until: performance.now() + REMEMBERED_MS[error.problem] }
    if (from === pool) leave()
    return error
  }
  const reopen = async () => {
    leave()
    pool = await opened(place, await firstAcceptedAccount(place, option_files))
    return pool
  }
  const current = (): Pool | Promise<Pool> => {
    if (pool && (waiting > 0 || pool.totalConnections() > 0)) return pool
    opening ??= reopen().finally(() => {
      opening = undefined
    })
    return opening
  }
  const taken = async (from: Pool) => {
    waiting++
    try {
      return await from.getConnection()
    } finally {
      waiting--
    }
  }
  /** Returns a connection; undefined when others are in the way, and it may be tried again. */
  const tried = async (): Promise<PoolConnection | undefined> => {
    if (failure && performance.now() < failure.until) throw failure.error
    let from: Pool | undefined
    try {
      from = await current()
      return await taken(from)
    } catch (error) {
      if (from !== undefined && isOfPool(error) && isInUse(from, pool)) return undefined
      throw failed(unavailable(error), from)
    }
  }
  return {
    async take() {
      const end = performance.now() + MAX_WAIT_MS
      while (performance.now() < end) {
        const connection = await tried()
        if (connection) return connection
      }
      throw new DatabaseUnavailable('silent', BUSY)
    },
    silent: (reason) => failed(new DatabaseUnavailable('silent', reason)),
  }
}

/** Returns whether others use all connections or replaced the pool: no failure of the server. */
const isInUse = (from: Pool, pool: Pool | undefined) =>
  from !== pool || from.activeConnections() >= MAX_CONNECTIONS

const isOfPool = (error: unknown) => POOL_ERRORS.has((error as Partial<SqlError>).code ?? '')

/** Returns the first account that MariaDB accepts: the agent's file, root's socket or file. */
async function firstAcceptedAccount(
  place: ConnectionTarget,
  files: readonly string[],
): Promise<Account> {
  const [own, ...others] = files
  const given = await readAccount(own === undefined ? [] : [own])
  if (given) {
    await testLogin(place, given)
    return given
  }
  const root = { user: 'root' }
  try {
    await testLogin(place, root)
    return root
  } catch (error) {
    const known = unavailable(error).problem === 'denied' ? await readAccount(others) : undefined
    if (!known) throw error
    await testLogin(place, known)
    return known
  }
}

async function testLogin(place: ConnectionTarget, account: Account): Promise<void> {
  const { createConnection } = await import('mariadb')
  const connection = await createConnection(configOf(place, account))
  connection.on('error', () => undefined)
  await connection.end().catch(() => connection.destroy())
}

async function opened(place: ConnectionTarget, account: Account): Promise<Pool> {
  const { createPool } = await import('mariadb')
  return createPool({
    ...configOf(place, account),
    connectionLimit: MAX_CONNECTIONS,
    minimumIdle: 0,
    idleTimeout: 60,
    // The pool tries more than once in it.
    acquireTimeout: 2 * place.connect_ms,
    initSql: `SET SESSION lock_wait_timeout = ${LOCK_SECONDS}`,
  })
}

const configOf = (place: ConnectionTarget, account: Account): ConnectionConfig => ({
  socketPath: place.socket,
  ...account,
  connectTimeout: place.connect_ms,
  multipleStatements: false,
  permitLocalInfile: false,
  charset: 'utf8mb4',
  autoJsonMap: false,
})

function unavailable(error: unknown): DatabaseUnavailable {
  if (error instanceof DatabaseUnavailable) return error
  const { errno = 0, sqlMessage, code = '' } = error as Partial<SqlError>
  const reason = sqlMessage ?? (code || messageOf(error))
  if (DENIED.has(errno)) return new DatabaseUnavailable('denied', '')
  const stopped = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET'].some((word) =>
    `${code} ${reason}`.includes(word),
  )
  return new DatabaseUnavailable(stopped ? 'stopped' : 'silent', reason)
}

/** The login of MariaDB. Without a password the socket identifies the user (unix_socket). */
interface Account {
  user: string
  password?: string
}

/** The files with accounts: the agent's first, then root's, which mariadb(1) reads the same way. */
const OPTION_FILES = ['/etc/hosting-agent/mariadb.cnf', '/root/.my.cnf'] as const

/** Returns the account in the first file that names one and that only root can write. */
export async function readAccount(
  paths: readonly string[] = OPTION_FILES,
): Promise<Account | undefined> {
  for (const path of paths) {
    const account = accountIn(await textOf(path))
    if (account) return account
  }
  return undefined
}

async function textOf(path: string): Promise<string> {
  try {
    const { uid, mode, size } = await lstat(path)
    const isPrivate = uid === process.getuid?.() && (mode & 0o022) === 0
    return isPrivate && size < 65_536 ? await readFile(path, 'utf8') : ''
  } catch {
    return ''
  }
}

/** Returns the account in the group [client] of a file of options (mariadb.com/kb). */
export function accountIn(text: string): Account | undefined {
  let group = ''
  const options = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const name = /^\s*\[([^\]]+)\]/.exec(line)?.[1]
    if (name !== undefined) group = name.trim()
    const [, key = '', value = ''] = /^\s*(user|password)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (key !== '' && /^(client|client-mariadb|client-server)$/.test(group)) {
      options.set(key, plainOf(value))
    }
  }
  const password = options.get('password')
  return password === undefined ? undefined : { user: options.get('user') ?? 'root', password }
}

function plainOf(text: string): string {
  const [, , quoted] = /^(["'])(.*)\1/.exec(text) ?? []
  return (quoted ?? text.replace(/\s#.*$/, '')).replace(
    /\\([btnrs\\"'])/g,
    (_, letter: string) => ESCAPES[letter] ?? letter,
  )
}

const ESCAPES: Record<string, string> = { b: '\b', t: '\t', n: '\n', r: '\r', s: ' ' }
