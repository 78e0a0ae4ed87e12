import { causes } from './connect.ts'

/** Whether a statement wrote null to `column`, such as `sites.apex`, to refuse a value. */
export function violatesNotNull(error: unknown, column: string): boolean {
  return causes(error).some(
    (cause) =>
      !('query' in cause) && cause.message.includes(`NOT NULL constraint failed: ${column}`),
  )
}

/** Whether `column`, such as `sites.domain`, is not unique; libSQL over HTTP has no code. */
export function violatesUnique(error: unknown, column: string): boolean {
  return causes(error).some(
    (cause) =>
      !('query' in cause) &&
      cause.message.includes('UNIQUE constraint failed') &&
      cause.message.includes(column),
  )
}
