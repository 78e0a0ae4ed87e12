/** A failure of the start; the message has the solution. */
export class StartError extends Error {}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
