import { ApiError } from './client.ts'

/** What a call began: an operation, when it named one. */
export interface Begun {
  operation_id: string | undefined
  /** The JSON of the answer; undefined when it is a stream, which the operation's page shows. */
  body: unknown
}

/**
 * Asks for work that goes on after the answer: 201 or 202 with a body, or a stream of events. Both
 * name the operation in a header; it is followed by `operation-events.ts`. Throws ApiError.
 */
export async function begin(method: string, path: string, input: object = {}): Promise<Begun> {
  const response = await fetch(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  }).catch(() => {
    throw new ApiError(0, undefined)
  })
  const operation_id = response.headers.get('operation-id') ?? undefined
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { operation_id, body: undefined }
  }
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw new ApiError(response.status, body)
  return { operation_id, body }
}
