import type { SqlError } from 'mariadb'
import { ADMIN_STATEMENTS } from '#agent/kernel/host/admin-statements.ts'
import { DatabaseUnavailable } from '#agent/kernel/host/database-unavailable.ts'
import { withIdentifiers } from '#agent/kernel/host/identifiers.ts'
import type { AdminDatabase, DatabaseRow } from '#agent/kernel/host/ports.ts'
import { withTimeout } from '#agent/kernel/host/with-timeout.ts'
import { openConnections } from './database-connections.ts'

const SOCKET = '/run/mysqld/mysqld.sock'
/** The time limits: queries are fast; dropping a large database takes longer. */
const QUERY_MS = 15_000
const DEFAULT_STATEMENT_MS = 10 * 60_000

interface DatabaseOptions {
  socket?: string
  /** The files that may name an account: see database-connections.ts. */
  option_files?: readonly string[]
  /** The time until a server that accepts and does not answer is `silent`; 3,000 ms by default. */
  connect_ms?: number
}

/** Loads driver and connections with the first query: a server may have no MariaDB. */
export function openDatabase(options: DatabaseOptions = {}): AdminDatabase {
  const { socket = SOCKET, option_files, connect_ms } = options
  const connections = openConnections(socket, option_files, connect_ms)
  const query = async (sql: string, values: readonly unknown[]): Promise<DatabaseRow[]> => {
    const connection = await connections.take()
    try {
      const filled = withIdentifiers(sql, values, (name) => connection.escapeId(name))
      const limit_ms = /^(SELECT|SET STATEMENT) /.test(sql) ? QUERY_MS : DEFAULT_STATEMENT_MS
      const answer = connection.query(filled.sql, filled.values)
      // Only closing its connection ends a statement.
      const rows = await withTimeout(limit_ms, answer, () => {
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

/** Recognises errors of the driver. */
function isSqlError(error: unknown): error is SqlError {
  return error instanceof Error && 'sqlMessage' in error
}

/** Returns an error without the driver's message, whose statement may hold a password. */
function readable(error: unknown, values: readonly unknown[]): Error {
  if (error instanceof DatabaseUnavailable) return error
  if (!isSqlError(error)) return error instanceof Error ? error : new Error(String(error))
  let text = error.sqlMessage ?? error.code ?? 'unknown error'
  for (const value of values) {
    if (typeof value === 'string' && value.length > 7) text = text.replaceAll(value, '***')
  }
  return new Error(`MariaDB: ${text}`)
}
