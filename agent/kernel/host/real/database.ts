import type { SqlError } from 'mariadb'
import { ADMIN_STATEMENTS } from '#agent/kernel/host/admin-statements.ts'
import { DatabaseUnavailable } from '#agent/kernel/host/database-unavailable.ts'
import { withIdentifiers } from '#agent/kernel/host/identifiers.ts'
import type { Database, Row } from '#agent/kernel/host/ports.ts'
import { within } from '#agent/kernel/host/within.ts'
import { openConnections } from './database-connections.ts'

const SOCKET = '/run/mysqld/mysqld.sock'
/** Queries are fast; dropping a large database takes longer. */
const QUERY_MS = 15_000
const WORK_MS = 10 * 60_000

interface Options {
  socket?: string
  /** The files that may name an account: see database-connections.ts. */
  option_files?: readonly string[]
  /** Milliseconds until a server that accepts a connection and does not answer is `silent`: 3,000. */
  connect_ms?: number
}

/** Driver and connections come with the first query: a server without MariaDB starts the agent too. */
export function openDatabase(options: Options = {}): Database {
  const { socket = SOCKET, option_files, connect_ms } = options
  const connections = openConnections(socket, option_files, connect_ms)
  const query = async (sql: string, values: readonly unknown[]): Promise<Row[]> => {
    const connection = await connections.take()
    try {
      const filled = withIdentifiers(sql, values, (name) => connection.escapeId(name))
      const limit_ms = /^(SELECT|SET STATEMENT) /.test(sql) ? QUERY_MS : WORK_MS
      const answer = connection.query(filled.sql, filled.values)
      // Only closing its connection ends a statement.
      const rows = await within(limit_ms, answer, () => {
        connection.destroy()
        return connections.silent(`no answer in ${limit_ms / 1000} seconds`)
      }).catch((error: unknown) => {
        throw readable(error, filled.values)
      })
      return Array.isArray(rows) ? rows : []
    } finally {
      await connection.release().catch(() => undefined)
    }
  }
  return { admin: (statement, values = []) => query(ADMIN_STATEMENTS[statement], values) }
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
