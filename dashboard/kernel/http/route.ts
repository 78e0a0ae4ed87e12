import { z } from 'zod'
import type { ErrorName } from '#shared/kernel/errors.ts'
import type { Right } from '#shared/kernel/rights.ts'
import type { AnswerSpec, AnswerSpecs } from './answers.ts'
import type { BodyLimits } from './body.ts'
import type { Caller } from './caller.ts'
import type { Connection } from './connection.ts'
import type { Names } from './places.queries.ts'
import type { Reply } from './reply.ts'
import type { Visible } from './visible.ts'

export type MethodAndPath = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** The parameters in a path: `server_id` of `/servers/:server_id`. */
export type NamesIn<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never

/** A request before its body and query are parsed. */
export interface PathCall<D, Params extends string = never> {
  deps: D
  params: Readonly<Record<Params, string>>
  /** Throws 401 without a signed-in user, which only an open route can have. */
  caller: Caller
  /**
   * Throws 403 without another right on the objects that the path names, or on others. Without an
   * argument it checks that of the call again, which may have ended.
   */
  requireRight(right?: Right, names?: Names): Promise<void>
  request: Request
  /** The listening server, for its time limits. */
  server: Connection | null
}

/** The request of a route, with the objects of its path, and its parsed query and body. */
interface RouteCall<D, Params extends string, L, Q, B> extends PathCall<D, Params> {
  loaded: L
  query: Q
  body: B
  /** What the caller may see, for a filtered answer; undefined: the whole fleet. */
  visible: Visible | undefined
}

type AnswerBody<X> = X extends { json: infer J extends z.ZodType } ? z.output<J> : undefined
type HandlerResult<X> = X extends { events: object } | { file: string }
  ? Response | (X extends { json: z.ZodType } ? AnswerBody<X> : never)
  : X extends { json: z.ZodType }
    ? AnswerBody<X>
    : // biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers nothing returns nothing
      void
/** The result of a handler: a body is sent with 200, or the only status; bytes are JSON. */
type RouteResult<A extends AnswerSpecs> =
  | HandlerResult<A[200 extends keyof A ? 200 : keyof A]>
  | { [S in keyof A & number]: Reply<S, HandlerResult<A[S]> | Uint8Array> }[keyof A & number]

/**
 * The description of a route. Method, path, query and body determine errors: 401 and 500 for all,
 * 403 for a change, 404 for the objects of the path, 400, 413, 415 and 422 for a body.
 */
interface Description {
  summary: string
  details?: string
  /** The right that the caller needs; `open` calls need no caller. */
  right: 'open' | Right
  /**
   * Where the right is needed; default: on what the path names, and without a name in the whole
   * fleet. `anywhere`: the call is only about what the caller may see (`visible`). `fleet`: the call
   * is also about objects that its path does not name.
   */
  where?: 'anywhere' | 'fleet'
  /** Whether the call is closed to API tokens. */
  needs_session?: true
  /** Whether a session must have given its password shortly before; a plan does not need it. */
  needs_confirmation?: true
  /** The errors beyond the derived ones. */
  errors?: readonly ErrorName[]
  /** The example in place of that of its component. */
  example?: unknown
  /** Whether unknown fields of query and body are ignored, and not refused. */
  ignores_unknown?: true
  body_limits?: BodyLimits
  /** Whether the answer waits for an outcome: the time limit of a silent connection does not apply. */
  waits?: true
  /**
   * The milliseconds for which an answer may be cached that follows from the address, the caller
   * and the records alone, and that may also have readings and times relative to now: its bytes are
   * sent again until the records change.
   */
  cached_ms?: number
}

/** The time for an answer without readings and times relative to now. */
export const UNTIL_CHANGED = Number.POSITIVE_INFINITY
/** The time for an answer with readings, which are no change of the records. */
export const WITH_READINGS_MS = 1_000

export interface AnyRoute extends Description {
  at: MethodAndPath
  query?: z.ZodObject
  body?: z.ZodType
  answers: AnswerSpecs
  also?(body: never, params: Readonly<Record<string, string>>): Names
  loads?(call: never): unknown
  run(call: never): unknown
}

/** The dependencies of a route, only for types. */
export interface NeedsDeps<D> {
  readonly needs?: (deps: D) => void
}

interface Definition<
  D,
  P extends MethodAndPath,
  L,
  Q extends z.ZodObject,
  B extends z.ZodType,
  A extends AnswerSpecs,
> extends Description {
  at: P
  /** Loads the objects of the path, or throws 404, before the body and the query are parsed. */
  loads?: (call: PathCall<D, NamesIn<P>>) => L | Promise<L>
  query?: Q
  /** The body, parsed as JSON; optional if `{}` is valid. */
  body?: B
  /** Names the objects beside that of the path on which the caller needs the same right. */
  also?: (body: z.output<B>, params: Readonly<Record<string, string>>) => Names
  answers: A
  run: (
    call: RouteCall<D, NamesIn<P>, L, z.output<Q>, z.output<B>>,
  ) => RouteResult<A> | Promise<RouteResult<A>>
}

type NoQuery = z.ZodObject<Record<never, z.ZodType>>

/** Defines routes whose handlers need `D`: `const route = routesWith<Deps>()`. */
export function routesWith<D>() {
  return <
    const P extends MethodAndPath,
    A extends AnswerSpecs,
    L = undefined,
    Q extends z.ZodObject = NoQuery,
    B extends z.ZodType = z.ZodUndefined,
  >(
    definition: Definition<D, P, L, Q, B, A>,
  ): Definition<D, P, L, Q, B, A> & NeedsDeps<D> => definition
}

/** Whether a call has a plan, with `dry_run` in the body, or in the query without one. */
export const takesDryRun = ({ body }: Pick<AnyRoute, 'body'>): boolean =>
  body instanceof z.ZodObject && 'dry_run' in body.shape

/** The types of requests and answers of a table of routes. */
export type BodyOf<R> = R extends { body?: infer B extends z.ZodType } ? z.input<B> : never
export type QueryOf<R> = R extends { query?: infer Q extends z.ZodObject }
  ? keyof z.input<Q>
  : never
export type AnswerOf<R> = R extends { answers: infer A extends Record<number, AnswerSpec> }
  ? { [S in keyof A]: AnswerBody<A[S]> }[keyof A & number]
  : never
