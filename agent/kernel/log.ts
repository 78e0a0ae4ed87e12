import { currentRequestId } from '#agent/kernel/http/request-id.ts'

type LogFacts = Record<string, string | number | undefined>

/** Writes one line of JSON on stderr: `at`, `level`, `message`, `request_id`, then the facts. */
export function log(level: 'error' | 'info', message: string, facts: LogFacts = {}): void {
  const request_id = currentRequestId()
  const head = { at: new Date().toISOString(), level, message, request_id }
  console.error(JSON.stringify({ ...head, ...facts }))
}

export function logError(error: unknown, facts: LogFacts = {}): void {
  log('error', 'unforeseen error', { ...facts, error: describe(error) })
}

export function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
