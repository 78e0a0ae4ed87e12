import { bodyOf, ServiceError, unauthorized } from '#shared/kernel/errors.ts'
import { Unauthenticated } from './unauthenticated.ts'

/** Returns whether a call needs no authentication; `/enrol` answers only the expected dashboard. */
export function isUnauthenticated(method: string, path: string): boolean {
  return (method === 'GET' && path === '/health') || (method === 'POST' && path === '/enrol')
}

/** Returns the answer to an error: one constant body for every refused signature. */
export function failureOf(error: unknown): Response {
  return error instanceof Unauthenticated ? failure(unauthorized(), error.headers) : failure(error)
}

function failure(error: unknown, extra: Record<string, string> = {}): Response {
  const { status, retry_after } =
    error instanceof ServiceError ? error : { status: 500, retry_after: undefined }
  // The unread rest of a body that is too large would be parsed as the next request.
  const end = status === 413 ? { connection: 'close' } : {}
  const later = retry_after === undefined ? {} : { 'retry-after': String(retry_after) }
  const fixed = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  return Response.json(bodyOf(error), { status, headers: { ...extra, ...end, ...later, ...fixed } })
}
