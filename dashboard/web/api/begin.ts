import { type AnswerOf, type Args, type At, send } from './client.ts'

/** What a call started: an operation, if the answer names one. */
interface Started<A extends At> {
  operation_id: string | undefined
  /** The JSON of the answer; undefined when it is a stream, which the operation's page shows. */
  body: AnswerOf<A> | undefined
}

/**
 * Starts work that continues after the answer: 201 or 202 with a body, or a stream of events. Both
 * name the operation in a header; it is followed by `operation-events.ts`. Throws ApiError.
 */
export async function begin<A extends At>(at: A, ...args: Args<A>): Promise<Started<A>> {
  const response = await send(at, ...args)
  const operation_id = response.headers.get('operation-id') ?? undefined
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { operation_id, body: undefined }
  }
  return { operation_id, body: await response.json() }
}

/** The id of the operation that the call started. */
export async function beginOperation<A extends At>(at: A, ...args: Args<A>): Promise<string> {
  const { operation_id } = await begin(at, ...args)
  if (operation_id === undefined) throw new Error('The dashboard did not name the operation')
  return operation_id
}
