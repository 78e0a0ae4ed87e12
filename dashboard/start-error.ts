/** What the dashboard cannot start without; the message says what to do. */
export class StartError extends Error {}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
