import type { DatabaseAnswer } from '#agent/kernel/host/scanner-port.ts'

/** MariaDB's errors by meaning for a site: https://mariadb.com/kb/en/mariadb-error-codes/ */
const STATES: Record<number, DatabaseAnswer['state']> = {
  1040: 'busy',
  1203: 'busy',
  1226: 'busy',
  1044: 'refused',
  1045: 'refused',
  1698: 'refused',
  4151: 'refused',
  1142: 'refused',
  1143: 'refused',
  1356: 'broken',
  1049: 'missing',
  1146: 'missing',
  1205: 'slow',
  1969: 'slow',
}
const AWAY = ['ENOENT', 'ECONNREFUSED', 'ER_SOCKET_UNEXPECTED_CLOSE', 'ECONNRESET']

/** The meaning of a query error; its text is dropped, since a site can choose parts of it. */
export function databaseAnswerOf(error: unknown): DatabaseAnswer {
  const { errno, code } = described(error)
  const known = STATES[errno]
  if (known) return { state: known, error: errno }
  if (AWAY.includes(code)) return { state: 'away' }
  // Without an error of the server: the timeout was reached.
  return errno >= 1000 && errno < 45_000 ? { state: 'broken', error: errno } : { state: 'slow' }
}

/** The driver's own errors have numbers from 45000; those of the system are below 0. */
function described(error: unknown): { errno: number; code: string } {
  const fields: { errno?: unknown; code?: unknown; cause?: unknown } = Object(error)
  const code = [fields.code, Object(fields.cause).code].find((text) => AWAY.includes(String(text)))
  const errno = typeof fields.errno === 'number' ? fields.errno : 0
  return { errno, code: String(code ?? fields.code ?? '') }
}
