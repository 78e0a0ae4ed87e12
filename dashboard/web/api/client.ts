import type { Routes } from '#dashboard/routes.ts'
import { unicodeIn } from '#shared/kernel/unicode-domain.ts'

/** The method and path of a route, such as `GET /api/servers/:server_id`. */
export type At = keyof Routes
/** The type with read-only fields: sending a value does not change it. */
type Input<T> = T extends object ? { readonly [K in keyof T]: Input<T[K]> } : T
type Scalar = string | number | boolean | undefined

type Params<A extends At> = [Routes[A]['names']] extends [never]
  ? unknown
  : { params: Readonly<Record<Routes[A]['names'], string | number>> }
type Body<A extends At> = undefined extends Routes[A]['body']
  ? unknown
  : Record<never, unknown> extends Routes[A]['body']
    ? { body?: Input<Routes[A]['body']> | undefined }
    : { body: Input<Routes[A]['body']> }
type Query<A extends At> = { query?: { readonly [Q in Routes[A]['query']]?: Scalar } }
/** What a call of a route sends, by the definition of the route. */
export type Sent<A extends At> = Params<A> & Body<A> & Query<A> & { signal?: AbortSignal }
/** The parameters that follow the path of a route. */
export type QueryOf<A extends At> = NonNullable<Query<A>['query']>
/** The second argument of a call; it can be left out when the route needs nothing. */
export type Args<A extends At> =
  Record<never, unknown> extends Sent<A> ? [sent?: Sent<A>] : [sent: Sent<A>]
export type AnswerOf<A extends At> = Routes[A]['answer']

/** The error that the dashboard answered; `status` is 0 when it did not answer. */
export class ApiError extends Error {
  readonly status: number
  /** The message for each field that was refused; empty but for 422. */
  readonly fields: Readonly<Record<string, string>>
  /** The reason of a refusal, for programs. */
  readonly code: unknown

  constructor(status: number, body: unknown) {
    const { error, message, fields, code } = Object(body) as Record<string, unknown>
    const entries = Object.entries(Object(fields)).map(([name, texts]) => [name, [texts].flat()[0]])
    const refusals = entries.map(([, text]) => text).join('. ')
    super(textOf(status, message ?? (refusals || error)))
    this.status = status
    this.code = code
    this.fields = Object.fromEntries(entries)
  }
}

/** The message for each refused field; empty for an error that belongs to no field. */
export const refusalsIn = (error: unknown) => (error instanceof ApiError ? error.fields : {})

function textOf(status: number, message: unknown): string {
  if (status === 0) return 'The dashboard cannot be reached. Check your connection and try again.'
  return typeof message === 'string' && message ? message : `The dashboard answered ${status}`
}

interface Plain {
  params?: Readonly<Record<string, string | number>>
  query?: Readonly<Record<string, Scalar>>
  body?: unknown
  signal?: AbortSignal
}

/** Calls a route of the dashboard. Throws ApiError unless the call succeeds. */
export async function call<A extends At>(at: A, ...args: Args<A>): Promise<AnswerOf<A>> {
  const response = await send(at, ...args)
  return response.status === 204 ? undefined : response.json()
}

/** Sends a request and returns the response. Throws ApiError unless the call succeeds. */
async function send<A extends At>(at: A, ...[sent]: Args<A>): Promise<Response> {
  const { params = {}, query = {}, body, signal }: Plain = sent ?? {}
  const [method = '', path = ''] = at.split(' ')
  const pathname = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ''))
  const values = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(
    values.map(([name, value]) => [name, String(value)]),
  ).toString()
  const response = await fetch(search ? `${pathname}?${search}` : pathname, {
    method,
    // Also without a body: no form can send it, so the dashboard takes no change without it.
    ...(method === 'GET' ? {} : { headers: { 'content-type': 'application/json' } }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : new ApiError(0, undefined)
  })
  if (response.ok) return response
  throw new ApiError(response.status, await response.json().catch(() => undefined))
}

/** What a call started: an operation, if the answer names one. */
interface Started<A extends At> {
  operation_id: string | undefined
  /** The JSON of the answer; undefined when it is a stream, which the operation's page shows. */
  body: AnswerOf<A> | undefined
}

/**
 * Starts work that continues after the answer: 201 or 202 with a body, or a stream of events. Both
 * name the operation in a header. Throws ApiError.
 */
export async function start<A extends At>(at: A, ...args: Args<A>): Promise<Started<A>> {
  const response = await send(at, ...args)
  const operation_id = response.headers.get('operation-id') ?? undefined
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { operation_id, body: undefined }
  }
  return { operation_id, body: await response.json() }
}

/** The id of the operation that the call started. */
export async function startOperation<A extends At>(at: A, ...args: Args<A>): Promise<string> {
  const { operation_id } = await start(at, ...args)
  if (operation_id === undefined) throw new Error('The dashboard did not name the operation')
  return operation_id
}

/** The user may not make the call, or may not any more. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 403

/** The requested thing does not exist, or no longer exists. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404

export function messageOf(error: unknown): string {
  return error instanceof Error ? unicodeIn(error.message) : 'Something went wrong'
}
