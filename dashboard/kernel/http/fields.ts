import { z } from 'zod'
import { UNKNOWN } from '#shared/kernel/api/body.ts'
import { type Fields, invalid } from '#shared/kernel/errors.ts'
import type { Given } from './body.ts'
import { queryOf } from './path.ts'
import { type AnyRoute, takesDryRun } from './route.ts'
import { unknownBelow } from './unknown-below.ts'

type Takes = Pick<AnyRoute, 'at' | 'query' | 'body' | 'ignores_unknown'>

const NO_PLAN = 'This call has no plan'
const VALUES: Record<string, boolean> = { true: true, false: false }

/**
 * The fields of the body, with the `dry_run` of the query if the call has a plan. Throws 422 for what
 * the call would ignore: a `dry_run` where it has no plan, and each unknown field of the query, and of
 * the body of a call that takes none, and of each object in a body. The schema of a body refuses its own.
 */
export function fieldsIn(route: Takes, request: Request, body: Given): Given {
  const query = new URLSearchParams(queryOf(request.url))
  const refused: Fields = Object.create(null)
  for (const name of route.ignores_unknown ? [] : unknownIn(route, query, body))
    refused[name] = [UNKNOWN]
  if (route.body) Object.assign(refused, unknownBelow(route.body, body))
  const isAsked = query.has('dry_run') || Object.hasOwn(body, 'dry_run')
  const changes = !route.at.startsWith('GET ')
  if (isAsked && changes && !takesDryRun(route)) refused.dry_run = [NO_PLAN]
  if (Object.keys(refused).length > 0) throw invalid({ ...refused })
  return takesDryRun(route) ? withDryRun(body, query.getAll('dry_run')) : body
}

function unknownIn(route: Takes, query: URLSearchParams, body: Given): string[] {
  const known = new Set(Object.keys(route.query?.shape ?? {}))
  if (takesDryRun(route)) known.add('dry_run')
  const inBody = route.body instanceof z.ZodObject ? [] : Object.keys(body)
  return [...[...query.keys()].filter((name) => !known.has(name)), ...inBody]
}

/** Two that differ are refused: one of them asks for no change. */
function withDryRun(body: Given, texts: readonly string[]): Given {
  const given = [
    ...texts.map((text) => VALUES[text] ?? text),
    ...(Object.hasOwn(body, 'dry_run') ? [body.dry_run] : []),
  ]
  const [dry_run, ...others] = new Set(given)
  if (others.length > 0) throw invalid({ dry_run: ['Must be the same wherever it is given'] })
  return given.length > 0 ? { ...body, dry_run } : body
}
