/** One line of JSON on stderr, which is the journal's. */
export function log(level: 'error' | 'info', fields: object): void {
  console.error(JSON.stringify({ at: new Date().toISOString(), level, ...fields }))
}

export function logError(error: unknown): void {
  log('error', { error: describe(error) })
}

export function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
