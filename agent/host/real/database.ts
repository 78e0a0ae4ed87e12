import type { PoolConnection, SqlError } from 'mariadb'
import { ADMIN_STATEMENTS } from '#agent/host/admin-statements.ts'
import { DatabaseUnavailable } from '#agent/host/database-unavailable.ts'
import type { Database, Row } from '#agent/host/ports.ts'
import { type Connections, openConnections } from './database-connections.ts'

const SOCKET = '/run/mysqld/mysqld.sock'
/** Queries are fast; dropping a large database takes longer. */
const QUESTION_MS = 15_000
const WORK_MS = 10 * 60_000

interface Options {
  socket?: string
  /** The files that may name an account: see option-file.ts. */
  option_files?: readonly string[]
  question_ms?: number
}

/** Driver and connections come with the first query: a server without MariaDB starts the agent too. */
export function openDatabase({
  socket = SOCKET,
  option_files,
  question_ms = QUESTION_MS,
}: Options = {}): Database {
  const connections = openConnections(socket, option_files)
  const query = async (sql: string, values: readonly unknown[]): Promise<Row[]> => {
    const [names, rest] = split(sql, values)
    const connection = await connections.take()
    try {
      const quoted = names.map((name) => connection.escapeId(String(name)))
      const within = /^(SELECT|SET STATEMENT) /.test(sql) ? question_ms : WORK_MS
      const asked = connection.query(fill(sql, quoted), rest)
      const rows = await bounded(asked, within, connection, connections)
      return Array.isArray(rows) ? rows : []
    } catch (error) {
      throw readable(error, rest)
    } finally {
      await connection.release().catch(() => undefined)
    }
  }
  return { admin: (statement, values = []) => query(ADMIN_STATEMENTS[statement], values) }
}

/** A statement that exceeds its time closes its connection, since nothing else ends it. */
async function bounded<T>(
  asked: Promise<T>,
  within: number,
  connection: PoolConnection,
  connections: Connections,
): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    connection.destroy()
    late.reject(connections.silent(`no answer in ${within / 1000} seconds`))
  }, within)
  asked.catch(() => undefined)
  return Promise.race([asked, late.promise]).finally(() => clearTimeout(timer))
}

function split(sql: string, values: readonly unknown[]): [unknown[], unknown[]] {
  const names: unknown[] = []
  const rest: unknown[] = []
  for (const [index, mark] of [...sql.matchAll(/\?\??/g)].entries()) {
    ;(mark[0] === '??' ? names : rest).push(values[index])
  }
  return [names, rest]
}

function fill(sql: string, quoted: string[]): string {
  return sql.replace(/\?\?/g, () => quoted.shift() ?? '')
}

/** Only errors of the driver have it. */
function isSqlError(error: unknown): error is SqlError {
  return error instanceof Error && 'sqlMessage' in error
}

/** The driver's own message holds the statement with its values, and so may hold a password. */
function readable(error: unknown, values: readonly unknown[]): Error {
  if (error instanceof DatabaseUnavailable) return error
  if (!isSqlError(error)) return error instanceof Error ? error : new Error(String(error))
  let text = error.sqlMessage ?? error.code ?? 'unknown error'
  for (const value of values) {
    if (typeof value === 'string' && value.length > 7) text = text.replaceAll(value, '***')
  }
  return new Error(`MariaDB: ${text}`)
}
