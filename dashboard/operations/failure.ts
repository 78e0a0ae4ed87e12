import { CANCELLED, ERRORS, type ErrorBody } from '#shared/errors.ts'

/** Whether this is the end of an operation that was cancelled, with or without something left over. */
export function isCancelled({ error, message = '' }: ErrorBody): boolean {
  return error === ERRORS.conflict.error && message.startsWith(CANCELLED)
}

/** One readable line. */
export function reasonOf({ error, message, fields }: ErrorBody): string {
  if (message) return message
  const rules = Object.entries(fields ?? {}).map(([field, texts]) => `${field}: ${texts[0]}`)
  return rules.length > 0 ? `${error} (${rules.join('; ')})` : error
}
