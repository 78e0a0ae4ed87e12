import { type Connection, createConnection } from 'mariadb'
import type { OptionsQuery } from './wp-options.ts'

/** For all queries of one site, from the connection to the last row. */
const ANSWER_MS = 1800
const CONNECT_MS = 1000
/** After a failed connection no other site uses the server for this time. */
const REST_MS = 5000

type Row = Record<string, unknown>

/** There is only one server, which no site can choose. */
const away = { until: 0, error: new Error('the database does not answer') }

/**
 * Runs the only SELECT of a scan with the given account on the local socket, and disconnects. A
 * server that does not answer is tried again later: it delays one site, not each.
 */
export async function query(socket: string, statement: OptionsQuery): Promise<readonly Row[]> {
  if (performance.now() < away.until) throw away.error
  const end = performance.now() + ANSWER_MS
  const connection = await connect(socket, statement)
  const late = Promise.withResolvers<never>()
  const left = Math.max(end - performance.now(), 0)
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), left)
  try {
    const { sql, values } = filled(statement, (name) => connection.escapeId(name))
    const rows = await Promise.race([connection.query(sql, values), late.promise])
    // Without a regular disconnect the server writes a warning to its log.
    void connection.end().catch(() => connection.destroy())
    return Array.isArray(rows) ? rows : []
  } catch (error) {
    connection.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function connect(socket: string, { user, password }: OptionsQuery): Promise<Connection> {
  const options = {
    socketPath: socket,
    user,
    password,
    connectTimeout: CONNECT_MS,
    // Otherwise a server could request any file that this process can read.
    permitLocalInfile: false,
    multipleStatements: false,
    charset: 'utf8mb4',
  }
  const start = performance.now()
  try {
    const connection = await createConnection(options)
    connection.on('error', () => undefined)
    return connection
  } catch (error) {
    // An immediate refusal delays no site.
    if (performance.now() - start >= CONNECT_MS) {
      away.until = performance.now() + REST_MS
      away.error = error instanceof Error ? error : away.error
    }
    throw error
  }
}

/** Inserts the identifiers; the driver inserts the values. */
function filled({ sql, values }: OptionsQuery, quoted: (name: string) => string) {
  const marks = [...sql.matchAll(/\?\??/g)].map(([mark]) => mark)
  const names = values.filter((_, index) => marks[index] === '??').map(quoted)
  return {
    sql: sql.replace(/\?\?/g, () => names.shift() ?? ''),
    values: values.filter((_, index) => marks[index] === '?'),
  }
}
