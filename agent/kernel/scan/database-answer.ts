import type { DatabaseAnswer } from '#agent/kernel/host/scanner-port.ts'

/** The states by MariaDB's errors: https://mariadb.com/kb/en/mariadb-error-codes/ */
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
const AWAY_CODES = ['ENOENT', 'ECONNREFUSED', 'ER_SOCKET_UNEXPECTED_CLOSE', 'ECONNRESET']

/** Returns the meaning of a query error, without its text, which sites influence. */
export function databaseAnswerOf(error: unknown): DatabaseAnswer {
  const { errno, code } = described(error)
  const known = STATES[errno]
  if (known) return { state: known, error: errno }
  if (AWAY_CODES.includes(code)) return { state: 'away' }
  // An error that is not of the server is the timeout.
  return errno >= 1000 && errno < 45_000 ? { state: 'broken', error: errno } : { state: 'slow' }
}

/** Returns number and code. The driver's own are from 45000, the system's below 0. */
function described(error: unknown): { errno: number; code: string } {
  const fields: { errno?: unknown; code?: unknown; cause?: unknown } = Object(error)
  const code = [fields.code, Object(fields.cause).code].find((text) =>
    AWAY_CODES.includes(String(text)),
  )
  const errno = typeof fields.errno === 'number' ? fields.errno : 0
  return { errno, code: String(code ?? fields.code ?? '') }
}
