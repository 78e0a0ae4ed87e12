import { type Connection, createConnection } from 'mariadb'
import type { OptionsQuery } from './wp-options.ts'

/** For the answer of one site, from the connection to the last row. */
const ANSWER_MS = 1800
const CONNECT_MS = 1000
/** For how long a server that did not let anybody in is not asked for other sites. */
const REST_MS = 5000

type Row = Record<string, unknown>

/** There is one server, which no site can choose. */
const away = { until: 0, error: new Error('the database does not answer') }

/**
 * Runs the one SELECT of a scan by the account that it names, on the local socket, and hangs up. A
 * server that does not answer is asked again after a while: it costs one site its time, and not each.
 */
export async function query(socket: string, asked: OptionsQuery): Promise<readonly Row[]> {
  if (performance.now() < away.until) throw away.error
  const end = performance.now() + ANSWER_MS
  const connection = await connect(socket, asked)
  const late = Promise.withResolvers<never>()
  const left = Math.max(end - performance.now(), 0)
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), left)
  try {
    const { sql, values } = filled(asked, (name) => connection.escapeId(name))
    const rows = await Promise.race([connection.query(sql, values), late.promise])
    // Without a goodbye the server writes a warning to its log.
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
    // A server could otherwise ask for any file that this process can read.
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
    // One that refuses at once costs nobody any time.
    if (performance.now() - start >= CONNECT_MS) {
      away.until = performance.now() + REST_MS
      away.error = error instanceof Error ? error : away.error
    }
    throw error
  }
}

/** Puts the identifiers in; the values are the driver's. */
function filled({ sql, values }: OptionsQuery, quoted: (name: string) => string) {
  const marks = [...sql.matchAll(/\?\??/g)].map(([mark]) => mark)
  const names = values.filter((_, index) => marks[index] === '??').map(quoted)
  return {
    sql: sql.replace(/\?\?/g, () => names.shift() ?? ''),
    values: values.filter((_, index) => marks[index] === '?'),
  }
}
