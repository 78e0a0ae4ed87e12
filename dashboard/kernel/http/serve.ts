import { cookie } from '@elysiajs/cookie'
import { Elysia } from 'elysia'
import { answering } from '#dashboard/kernel/runtime/source.ts'
import { parse } from '#shared/kernel/parse.ts'
import { type Given, readJson } from './body.ts'
import { callerOf } from './caller.ts'
import { addressOf, type Connection } from './client.ts'
import { fieldsIn } from './fields.ts'
import { keep } from './kept.ts'
import { Reply } from './reply.ts'
import { requireRight } from './rights.ts'
import type { AnyRoute, Needs } from './route.ts'

type Routes<D> = readonly (AnyRoute & Needs<D>)[]

interface Incoming {
  request: Request
  server: Connection | null
  params: Readonly<Record<string, string>>
  query: unknown
}

/** The part of Elysia's context that an answer sets. */
interface Outgoing {
  headers: Record<string, string | number>
  status?: number | string
}

/**
 * The routes as a plugin. The checks come in this order: 401, 404 for an unknown path (both before
 * this), 403, 400 for the body, 404 for what the path names, 422, also for an unknown field.
 */
export function serve<D>(routes: Routes<D>, deps: D) {
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

/** The public routes under /api without a parameter, such as `POST /api/auth/login`. */
export function openRoutes(routes: Routes<never>): ReadonlySet<string> {
  const open = routes.filter(({ right, at }) => right === 'open' && !at.includes(':'))
  return new Set(open.map(({ at }) => at))
}

const setsCookie = ({ answers }: AnyRoute) =>
  Object.values(answers).some(({ headers = [] }) => headers.includes('Set-Cookie'))

/** Starts with the second guard, independently of the gate. */
async function answerOf(route: AnyRoute, deps: unknown, { query, ...incoming }: Incoming) {
  const { request, server } = incoming
  if (route.right !== 'open') requireRight(callerOf(request), route.right)
  if (route.waits) server?.timeout(request, 0)
  if (route.kept_ms !== undefined) keep(request, route.kept_ms)
  const body = await bodyIn(route, request)
  const pathCall = {
    ...incoming,
    deps,
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
  return answering(sourceIn(route, incoming), () => route.run(Object.assign(call, parsed) as never))
}

function sourceIn({ right }: AnyRoute, { request, server }: Omit<Incoming, 'query'>) {
  const caller = right === 'open' ? undefined : callerOf(request)
  const address = addressOf(request, server) || null
  return { user_id: caller?.user.id, token: caller?.token_name ?? null, address }
}

/** Also of a call that takes none: what a client sends may say that it means another one. */
const bodyIn = async ({ body_limits }: AnyRoute, request: Request): Promise<Given> =>
  request.body === null ? {} : readJson(request, body_limits)

function bodyOf({ answers }: AnyRoute, answer: unknown, set: Outgoing): unknown {
  const first = 200 in answers ? 200 : Number(Object.keys(answers)[0])
  if (answer instanceof Response) return answer
  const { status, body, parts } = answer instanceof Reply ? answer : new Reply(first, answer)
  Object.assign(set.headers, parts.headers)
  set.status = status
  return body
}
