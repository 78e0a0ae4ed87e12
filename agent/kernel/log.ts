import { currentRequestId } from '#agent/kernel/http/request-id.ts'

type Facts = Record<string, string | number | undefined>

/**
 * One line of JSON on stderr, which is the journal's: `at`, `level`, `message`, `request_id` when a
 * request led to it, then the facts.
 */
export function log(level: 'error' | 'info', message: string, facts: Facts = {}): void {
  const request_id = currentRequestId()
  const head = { at: new Date().toISOString(), level, message, request_id }
  console.error(JSON.stringify({ ...head, ...facts }))
}

export function logError(error: unknown, facts: Facts = {}): void {
  log('error', 'unforeseen error', { ...facts, error: describe(error) })
}

export function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
