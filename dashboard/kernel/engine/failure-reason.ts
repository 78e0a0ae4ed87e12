import type { ErrorBody } from '#shared/kernel/errors.ts'

/** Writes an error as one readable line. */
export function reasonOf({ error, message, fields }: ErrorBody): string {
  if (message) return message
  const rules = Object.entries(fields ?? {}).map(([field, texts]) => `${field}: ${texts[0]}`)
  return rules.length > 0 ? `${error} (${rules.join('; ')})` : error
}
