import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { storageFault } from '#dashboard/kernel/db/connect.ts'
import { requestIdOf } from '#dashboard/kernel/runtime/request-id.ts'
import { ERRORS, type ErrorBody, notFound, ServiceError } from '#shared/kernel/errors.ts'

interface ErrorAnswer {
  status: number
  headers: Record<string, string>
  body: ErrorBody
}

type Deps = Pick<CommonDeps, 'log' | 'random'>

/** Turns a thrown value into an error body, which nothing else does. */
export function answerTo(deps: Deps, error: unknown, code: unknown, request: Request): ErrorAnswer {
  const known = code === 'NOT_FOUND' && !(error instanceof ServiceError) ? noEndpoint : error
  if (known instanceof ServiceError && known.code !== 'internal') return expectedError(known)
  return unexpectedError(deps, error, request)
}

const noEndpoint = notFound('Endpoint')

function expectedError(error: ServiceError): ErrorAnswer {
  const { status, body, retry_after } = error
  const headers = retry_after === undefined ? {} : { 'retry-after': String(retry_after) }
  return { status, headers, body }
}

/** Logs an unexpected error, of which a client sees the request id alone. */
function unexpectedError({ log, random }: Deps, error: unknown, request: Request): ErrorAnswer {
  const request_id = requestIdOf(request, random)
  log.error('request failed', error, { request_id, method: request.method })
  const what = storageFault(error) ?? 'something went wrong'
  const message = `${what.charAt(0).toUpperCase()}${what.slice(1)}; the log has more under request id ${request_id}`
  return { status: 500, headers: {}, body: { error: ERRORS.internal.error, message } }
}
