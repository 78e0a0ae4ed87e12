import type { z } from 'zod'
import { type Answer, HEADERS } from '#dashboard/kernel/http/answers.ts'
import type { Right } from '#dashboard/kernel/http/rights.ts'
import packed from '../../../package.json' with { type: 'json' }
import { describedRoutes, type Route, type Subjects } from './described.ts'
import { FAILURES, failuresOf } from './failures.ts'
import { INTRODUCTION } from './introduction.ts'
import { parametersOf, queryOf } from './parameters.ts'
import { type Converted, convert, exampleOf, type Json } from './schemas.ts'

/** The OpenAPI 3.1 document of every route, error and event. */
export function openApiDocument(subjects: Subjects) {
  const routes = describedRoutes(subjects)
  const requests = convert(requestSchemas(routes), 'input')
  const answers = convert(answerSchemas(routes), 'output')
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = paths[route.path] ?? {}
    path[route.method.toLowerCase()] = operationOf(route, requests, answers)
    paths[route.path] = path
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Hosting Control',
      version: packed.version,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ session: [] }, { bearer: [] }],
    tags: Object.entries(subjects).map(([name, { about }]) => ({ name, description: about })),
    paths,
    components: {
      securitySchemes: SCHEMES,
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, description]) => [
          name,
          { description, schema: { type: 'string' } },
        ]),
      ),
      responses: Object.fromEntries(
        FAILURES.map((failure) => [failure.id, failureAnswer(failure)]),
      ),
      schemas: merged(requests.components, answers.components),
    },
  }
}

const SCHEMES = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description:
      'Set by the login; valid for 7 days, renewed after half of them. Named `__Host-session` where the public address is https.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API token, with the rights of its scope, or the token of a session.',
  },
}

const TOKEN_RULES: Record<Right, string> = {
  open: 'Needs no authentication.',
  read: 'Open to API tokens of every scope.',
  operate: 'An API token needs the scope `operate` or `admin`.',
  admin: 'An API token needs the scope `admin`.',
  session: 'Closed to API tokens: it needs a session.',
}

function requestSchemas(routes: readonly Route[]) {
  return Object.fromEntries(
    routes.flatMap((route) => {
      const query = queryOf(route)
      return [
        ...(route.body ? [[`${route.id} body`, route.body] as const] : []),
        ...(query ? [[`${route.id} query`, query] as const] : []),
      ]
    }),
  )
}

function answerSchemas(routes: readonly Route[]) {
  const answers = routes.flatMap(({ id, answers }) =>
    Object.entries(answers).flatMap(([status, { json, events }]) => [
      ...(json ? [[`${id} ${status}`, json] as const] : []),
      ...Object.entries(events ?? {}).map(
        ([kind, schema]) => [`${id} ${status} ${kind}`, schema] as const,
      ),
    ]),
  )
  const failures = FAILURES.map(({ name, schema }) => [name, schema] as const)
  return Object.fromEntries([...answers, ...failures])
}

function operationOf(route: Route, requests: Converted, answers: Converted): Json {
  const { id, tag, summary, body, open } = route
  const parameters = parametersOf(route, schemaIn(requests, `${id} query`))
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [route.details, TOKEN_RULES[route.right]].filter(Boolean).join(' '),
    ...(open ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(isOptional(body), id, requests) } : {}),
    responses: responsesOf(route, answers),
  }
}

/** A rule that depends on the path is not seen by the schema, which names what it needs. */
const isOptional = (body: z.ZodType): boolean =>
  body.meta()?.required === undefined && body.safeParse({}).success

function requestBody(optional: boolean, id: string, requests: Converted): Json {
  const schema = schemaIn(requests, `${id} body`) ?? {}
  const example = exampleOf(schema, requests.components)
  return { required: !optional, content: { 'application/json': { schema, example } } }
}

function responsesOf(route: Route, answers: Converted): Json {
  const good = Object.entries(route.answers).map(([status, answer]) => [
    status,
    {
      description: answer.about,
      headers: headersOf(answer.headers),
      ...contentOf(answer, `${route.id} ${status}`, answers, route.example),
    },
  ])
  const bad = failuresOf(route).map(({ status, id }) => [
    String(status),
    { $ref: `#/components/responses/${id}` },
  ])
  return Object.fromEntries([...good, ...bad])
}

function headersOf(names: Answer['headers'] = []): Json {
  const all = [...names, 'X-Request-Id']
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function contentOf(answer: Answer, key: string, answers: Converted, example: unknown): Json {
  const { json, events, file } = answer
  const content: Json = {}
  const schema = schemaIn(answers, key)
  if (json && schema)
    content['application/json'] = {
      schema,
      example: example ?? exampleOf(schema, answers.components),
    }
  if (events) content['text/event-stream'] = streamContent(key, answers)
  if (file) content[file] = { schema: { type: 'string', contentMediaType: file } }
  return Object.keys(content).length > 0 ? { content } : {}
}

/** `schema` is that of the data of one event; `x-events` has it for each kind, with an example. */
function streamContent(key: string, answers: Converted): Json {
  const kinds = ['log', 'step', 'complete', 'error'].flatMap((kind) => {
    const schema = schemaIn(answers, `${key} ${kind}`)
    if (!schema) return []
    return [[kind, { schema, example: exampleOf(schema, answers.components) }] as const]
  })
  const schemas = kinds.flatMap(([, { schema }]) =>
    Array.isArray(schema.anyOf) ? schema.anyOf : [schema],
  )
  const [only, ...others] = schemas
  const schema = only && others.length === 0 ? only : { anyOf: schemas }
  return { schema, 'x-events': Object.fromEntries(kinds) }
}

function failureAnswer({ name, about, id, example }: (typeof FAILURES)[number]): Json {
  const headers = headersOf(name === 'too_many' || name === 'offline' ? ['Retry-After'] : [])
  const schema = { $ref: `#/components/schemas/${id}Error` }
  return { description: about, headers, content: { 'application/json': { schema, example } } }
}

/** Throws when a name means one thing in a request and another one in an answer. */
function merged(requests: Json, answers: Json): Json {
  for (const [name, schema] of Object.entries(requests)) {
    const other = answers[name] ?? schema
    if (JSON.stringify(other) !== JSON.stringify(schema))
      throw new Error(`The schema ${name} is another one in answers than in requests`)
  }
  return { ...requests, ...answers }
}

function schemaIn({ of }: Converted, key: string): Json | undefined {
  const schema = of[key]
  return typeof schema === 'object' && schema !== null ? { ...schema } : undefined
}
