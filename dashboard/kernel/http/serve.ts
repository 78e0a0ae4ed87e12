import { cookie } from '@elysiajs/cookie'
import { Elysia } from 'elysia'
import { z } from 'zod'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { withCallSource } from '#dashboard/kernel/runtime/call-source.ts'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import { UNKNOWN_FIELD } from '#shared/kernel/api/body.ts'
import { type Fields, invalid } from '#shared/kernel/errors.ts'
import { parse } from '#shared/kernel/parse.ts'
import { allowCaching } from './answer-cache.ts'
import { type JsonFields, readJson } from './body.ts'
import { callerOf } from './caller.ts'
import { addressOf, type Connection } from './connection.ts'
import { queryOf } from './path.ts'
import { findPlaces, type Names } from './places.queries.ts'
import { Reply } from './reply.ts'
import {
  may,
  requireConfirmed,
  requireRight,
  requireRightAnywhere,
  requireSession,
} from './rights.ts'
import { type AnyRoute, type NeedsDeps, takesDryRun } from './route.ts'
import { unknownNestedFields } from './unknown-fields.ts'
import { visibleTo } from './visible.queries.ts'
import type { Visible } from './visible.ts'

interface ServeDeps {
  clock: Clock
  db: Pick<Database, 'read'>
}

type Routes<D> = readonly (AnyRoute & NeedsDeps<D>)[]

interface Incoming {
  request: Request
  server: Connection | null
  /** Absent for a path without parameters. */
  params: Readonly<Record<string, string>> | undefined
  query: unknown
}

/** The part of Elysia's context that an answer sets. */
interface Outgoing {
  headers: Record<string, string | number>
  status?: number | string
}

/**
 * Makes a plugin of the routes. The checks come in this order: 401, 404 for an unknown path (both
 * before this), 403, 400 for the body, 404 for what the path names, 422, also for an unknown field,
 * 409 for a session that must confirm its password.
 */
export function serve<D extends ServeDeps>(routes: Routes<D>, deps: D) {
  const app = new Elysia()
  // Scoped to the routes that set a cookie: global, it would replace the cookie jar of all others.
  const jar = new Elysia().use(cookie().as('scoped'))
  for (const route of routes) {
    const [method = '', path = ''] = route.at.split(' ')
    if (setsCookie(route))
      jar.route(method, path, async ({ request, server, params, query, set, setCookie }) => {
        const answer = await answerOf(route, deps, { request, server, params, query })
        const made = answer instanceof Reply ? answer.parts.cookie : undefined
        if (made) setCookie(made.name, made.value, made.options)
        return bodyOf(route, answer, set)
      })
    else
      app.route(method, path, async ({ request, server, params, query, set }) =>
        bodyOf(route, await answerOf(route, deps, { request, server, params, query }), set),
      )
  }
  return app.use(jar)
}

/** Lists the public routes under /api without a parameter, such as `POST /api/auth/login`. */
export function openRoutes(routes: Routes<never>): ReadonlySet<string> {
  const open = routes.filter(({ right, at }) => right === 'open' && !at.includes(':'))
  return new Set(open.map(({ at }) => at))
}

const setsCookie = ({ answers }: AnyRoute) =>
  Object.values(answers).some(({ headers = [] }) => headers.includes('Set-Cookie'))

/** Answers a request. It starts with the second guard, independently of the gate. */
async function answerOf(route: AnyRoute, deps: ServeDeps, { query, ...incoming }: Incoming) {
  const { request, server, params = {} } = incoming
  if (route.needs_session) requireSession(callerOf(request))
  await requireRightOn(route, deps, request, params)
  if (route.waits) server?.timeout(request, 0)
  if (route.cached_ms !== undefined) allowCaching(request, route.cached_ms)
  const body = await bodyIn(route, request)
  const pathCall = {
    ...incoming,
    deps,
    requireRight: (right = route.right, names: Names = params) =>
      requireRightOn({ ...route, right }, deps, request, names),
    get caller() {
      return callerOf(request)
    },
  }
  const call = Object.assign(pathCall, { loaded: await route.loads?.(pathCall as never) })
  const fields = fieldsIn(route, request, body)
  const parsed = {
    query: route.query && parse(route.query, query),
    body: route.body && parse(route.body, fields),
  }
  if (route.also)
    await requireRightOn(route, deps, request, route.also(parsed.body as never, params))
  if (route.needs_confirmation && Object(parsed.body).dry_run !== true)
    requireConfirmed(deps.clock, callerOf(request))
  // So a client finds out whether a download needs a password, and no server makes it.
  if (request.method === 'HEAD' && route.needs_confirmation) return new Response(null)
  const visible = await visibleFor(route, deps, request)
  return withCallSource(sourceIn(route, incoming), () =>
    route.run(Object.assign(call, parsed, { visible }) as never),
  )
}

/** Returns what the caller of a call may see that is only about that. */
async function visibleFor(
  { right, where }: Pick<AnyRoute, 'right' | 'where'>,
  { db }: ServeDeps,
  request: Request,
): Promise<Visible | undefined> {
  if (right === 'open' || where !== 'anywhere') return undefined
  return visibleTo(db, callerOf(request), right)
}

/**
 * Throws 403 for a caller who lacks the right: in the whole fleet, or else on each of the named
 * objects, or where a call is only about what its caller may see, anywhere. An object that does not
 * exist is refused like that of somebody else, so that nobody can tell them apart.
 */
async function requireRightOn(
  { right, where }: Pick<AnyRoute, 'right' | 'where'>,
  { db }: ServeDeps,
  request: Request,
  names: Names,
): Promise<void> {
  if (right === 'open') return
  const caller = callerOf(request)
  if (may(caller, right)) return
  requireRightAnywhere(caller, right)
  if (where === 'anywhere') return
  const [first, ...others] = where === 'fleet' ? [] : await findPlaces(db, names)
  requireRight(caller, right, first)
  for (const place of others) requireRight(caller, right, place)
}

function sourceIn({ right }: AnyRoute, { request, server }: Omit<Incoming, 'query'>) {
  const caller = right === 'open' ? undefined : callerOf(request)
  const address = addressOf(request, server) || null
  return { user_id: caller?.user.id, token: caller?.token_name ?? null, address }
}

/** Reads the body, also where none is expected: it may show that another call is meant. */
const bodyIn = async ({ body_limits }: AnyRoute, request: Request): Promise<JsonFields> =>
  request.body === null ? {} : readJson(request, body_limits)

function bodyOf({ answers }: AnyRoute, answer: unknown, set: Outgoing): unknown {
  const first = 200 in answers ? 200 : Number(Object.keys(answers)[0])
  if (answer instanceof Response) return answer
  const { status, body, parts } = answer instanceof Reply ? answer : new Reply(first, answer)
  Object.assign(set.headers, parts.headers)
  set.status = status
  return body
}

type RouteInput = Pick<AnyRoute, 'at' | 'query' | 'body' | 'ignores_unknown'>

const NO_PLAN = 'This call has no plan'
const VALUES: Record<string, boolean> = { true: true, false: false }

/**
 * Returns the fields of the body, with the `dry_run` of the query if the call has a plan. Throws
 * 422 for what the call would ignore: a `dry_run` where it has no plan, and each unknown field of
 * the query, and of the body of a call that takes none, and of each object in a body. The schema of
 * a body refuses its own.
 */
function fieldsIn(route: RouteInput, request: Request, body: JsonFields): JsonFields {
  const query = new URLSearchParams(queryOf(request.url))
  const refused: Fields = Object.create(null)
  for (const name of route.ignores_unknown ? [] : unknownIn(route, query, body))
    refused[name] = [UNKNOWN_FIELD]
  if (route.body) Object.assign(refused, unknownNestedFields(route.body, body))
  const isAsked = query.has('dry_run') || Object.hasOwn(body, 'dry_run')
  const changes = !route.at.startsWith('GET ')
  if (isAsked && changes && !takesDryRun(route)) refused.dry_run = [NO_PLAN]
  if (Object.keys(refused).length > 0) throw invalid({ ...refused })
  return takesDryRun(route) ? withDryRun(body, query.getAll('dry_run')) : body
}

function unknownIn(route: RouteInput, query: URLSearchParams, body: JsonFields): string[] {
  const known = new Set(Object.keys(route.query?.shape ?? {}))
  if (takesDryRun(route)) known.add('dry_run')
  const inBody = route.body instanceof z.ZodObject ? [] : Object.keys(body)
  return [...[...query.keys()].filter((name) => !known.has(name)), ...inBody]
}

/** Adds the `dry_run` of the query. Two that differ are refused: one of them asks for no change. */
function withDryRun(body: JsonFields, texts: readonly string[]): JsonFields {
  const given = [
    ...texts.map((text) => VALUES[text] ?? text),
    ...(Object.hasOwn(body, 'dry_run') ? [body.dry_run] : []),
  ]
  const [dry_run, ...others] = new Set(given)
  if (others.length > 0) throw invalid({ dry_run: ['Must be the same wherever it is given'] })
  return given.length > 0 ? { ...body, dry_run } : body
}
