/** Returns the code of an error of the system or of SQLite, such as ENOENT; empty without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
