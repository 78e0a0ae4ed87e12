import type { Pool, SqlError } from 'mariadb'
import type { Database } from '../ports.ts'

const SOCKET = '/run/mysqld/mysqld.sock'

/** Driver and connections come with the first query: a server without MariaDB starts the agent too. */
export function openDatabase(socket = SOCKET): Database {
  let pool: Pool | undefined
  return {
    async query(sql, values = []) {
      const { createPool } = await import('mariadb')
      pool ??= createPool({
        socketPath: socket,
        user: 'root',
        connectionLimit: 2,
        minimumIdle: 0,
        idleTimeout: 60,
        acquireTimeout: 5000,
        connectTimeout: 3000,
        multipleStatements: false,
        charset: 'utf8mb4',
      })
      const [names, rest] = split(sql, values)
      const connection = await pool.getConnection().catch(refused)
      try {
        const quoted = names.map((name) => connection.escapeId(String(name)))
        const rows = await connection.query(fill(sql, quoted), rest)
        return Array.isArray(rows) ? rows : []
      } catch (error) {
        throw readable(error, rest)
      } finally {
        await connection.release()
      }
    },
  }
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

/** Each error of the driver has it, and no other has. */
function isSqlError(error: unknown): error is SqlError {
  return error instanceof Error && 'sqlMessage' in error
}

function refused(error: unknown): never {
  const reason = isSqlError(error) ? (error.sqlMessage ?? error.code) : String(error)
  throw new Error(`MariaDB does not answer on ${SOCKET}: ${reason}`)
}

/** The driver's own message holds the statement with its values, and so may hold a password. */
function readable(error: unknown, values: readonly unknown[]): Error {
  if (!isSqlError(error)) return error instanceof Error ? error : new Error(String(error))
  let text = error.sqlMessage ?? error.code ?? 'unknown error'
  for (const value of values) {
    if (typeof value === 'string' && value.length > 7) text = text.replaceAll(value, '***')
  }
  return new Error(`MariaDB: ${text}`)
}
