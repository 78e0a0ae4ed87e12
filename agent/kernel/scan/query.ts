import { type Connection, createConnection } from 'mariadb'
import { withIdentifiers } from '#agent/kernel/host/identifiers.ts'
import { within } from '#agent/kernel/host/within.ts'
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
  try {
    const { sql, values } = withIdentifiers(statement.sql, statement.values, (name) =>
      connection.escapeId(name),
    )
    const left_ms = Math.max(end - performance.now(), 0)
    const answer = connection.query(sql, values)
    const rows = await within(left_ms, answer, () => new Error('no answer in time'))
    // Without a regular disconnect the server writes a warning to its log.
    void connection.end().catch(() => connection.destroy())
    return Array.isArray(rows) ? rows : []
  } catch (error) {
    connection.destroy()
    throw error
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
