import { causes } from './connect.ts'

/** For a column whose statement writes null to refuse a value. `column` as in `sites.apex`. */
export function violatesNotNull(error: unknown, column: string): boolean {
  return causes(error).some(
    (cause) =>
      !('query' in cause) && cause.message.includes(`NOT NULL constraint failed: ${column}`),
  )
}

/** By text, because libSQL returns no extended code over HTTP. `column` as in `sites.domain`. */
export function violatesUnique(error: unknown, column: string): boolean {
  return causes(error).some(
    (cause) =>
      !('query' in cause) &&
      cause.message.includes('UNIQUE constraint failed') &&
      cause.message.includes(column),
  )
}
