import { z } from 'zod'
import { type AnswerSpec, HEADERS } from '#dashboard/kernel/http/answers.ts'
import { type AnyRoute, takesDryRun } from '#dashboard/kernel/http/route.ts'
import { MAX_DIGITS } from '#shared/kernel/api/activity.ts'
import { lowestRole, scopeFor } from '#shared/kernel/rights.ts'
import { SETTINGS } from '#shared/settings/api/settings.ts'
import packed from '../../../package.json' with { type: 'json' }
import { type DescribedRoute, describedRoutes, type RouteSubjects } from './described-routes.ts'
import { EXAMPLES } from './examples.ts'
import { FAILURES, failuresOf } from './failures.ts'

export function openApiDocument(subjects: RouteSubjects) {
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
      schemas: mergeSchemas(requests.components, answers.components),
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

type Access = Pick<AnyRoute, 'right' | 'needs_session' | 'needs_confirmation'>

/** Returns who may make a call. */
function callersOf({ right, needs_session, needs_confirmation }: Access): string {
  if (right === 'open') return 'Needs no authentication.'
  const role = lowestRole(right)
  const grant = right === 'secrets' ? ', or the grant `secrets`' : ''
  const account =
    role === undefined ? 'Every account may do this' : `Needs the role \`${role}\`${grant}`
  const token = needs_session
    ? 'API tokens may not'
    : `API tokens need the scope \`${scopeFor(right)}\``
  const confirmed = needs_confirmation
    ? ' A session needs its password of the last ten minutes: 409 with `confirmation_needed` otherwise.'
    : ''
  return `${account}; ${token}.${confirmed}`
}

function requestSchemas(routes: readonly DescribedRoute[]) {
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

function answerSchemas(routes: readonly DescribedRoute[]) {
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

function operationOf(
  route: DescribedRoute,
  requests: ConvertedSchemas,
  answers: ConvertedSchemas,
): Json {
  const { id, tag, summary, body, open } = route
  const parameters = parametersOf(route, schemaIn(requests, `${id} query`))
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [route.details, callersOf(route)].filter(Boolean).join(' '),
    ...(open ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(isOptional(body), id, requests) } : {}),
    responses: responsesOf(route, answers),
  }
}

/** Whether a body may be left out; the schema names what it needs by the path. */
const isOptional = (body: z.ZodType): boolean =>
  body.meta()?.required === undefined && body.safeParse({}).success

function requestBody(optional: boolean, id: string, requests: ConvertedSchemas): Json {
  const schema = schemaIn(requests, `${id} body`) ?? {}
  const example = exampleOf(schema, requests.components)
  return { required: !optional, content: { 'application/json': { schema, example } } }
}

function responsesOf(route: DescribedRoute, answers: ConvertedSchemas): Json {
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

function headersOf(names: AnswerSpec['headers'] = []): Json {
  const all = [...names, 'X-Request-Id']
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function contentOf(
  answer: AnswerSpec,
  key: string,
  answers: ConvertedSchemas,
  example: unknown,
): Json {
  const { json, events, file, other_files = [] } = answer
  const content: Json = {}
  const schema = schemaIn(answers, key)
  if (json && schema)
    content['application/json'] = {
      schema,
      example: example ?? exampleOf(schema, answers.components),
    }
  if (events) content['text/event-stream'] = streamContent(key, answers)
  for (const type of file ? [file, ...other_files] : [])
    content[type] = { schema: { type: 'string', contentMediaType: type } }
  return Object.keys(content).length > 0 ? { content } : {}
}

/** Describes a stream by `schema`, that of the data of one event, and `x-events` for each. */
function streamContent(key: string, answers: ConvertedSchemas): Json {
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

/** Merges the schemas. Throws when a name has two meanings. */
function mergeSchemas(requests: Json, answers: Json): Json {
  for (const [name, schema] of Object.entries(requests)) {
    const other = answers[name] ?? schema
    if (JSON.stringify(other) !== JSON.stringify(schema))
      throw new Error(`The schema ${name} is another one in answers than in requests`)
  }
  return { ...requests, ...answers }
}

function schemaIn({ of }: ConvertedSchemas, key: string): Json | undefined {
  const schema = of[key]
  return typeof schema === 'object' && schema !== null ? { ...schema } : undefined
}

const INTRODUCTION = `Runs many servers and the WordPress sites on them.

**Signing in.** \`POST /api/auth/login\` sets the cookie \`session\`; scripts send an API token as
\`Authorization: Bearer <token>\`. A token expires, and has a scope: \`read\` for calls that change
nothing and show no password, \`operate\` for everyday work on sites and servers, \`admin\` for
everything except creating tokens, changing the password and rotating keys, which need a session. A scope that is too
small is 403. Without either, every call under \`/api\` except the login, invitations and
the reset of a password is answered with 401. A change
that a browser sends with the cookie must come from a script of the same origin, with the content
type \`application/json\`, otherwise it is 403.

**Bodies** are JSON objects of at most 1 MiB. Unknown fields of the body and the query are 422, except
where the schema of a body allows them, and strings except passwords are trimmed. Times are ISO 8601 in
UTC. The checks in their order: 401, 404 for an unknown path, 400 for anything but a JSON object, 404
for an object of the path, 422 for a field.

**Errors** have \`error\` and, with few exceptions, \`message\`; of 422, \`fields\` holds the rules that
each field breaks. Any call may be answered with 500 when something went wrong here, and the header
\`X-Request-Id\` of every answer identifies its lines in the log.

**Streams.** Long work is a stored operation with numbered events, and a stream is a view of it:
closing it cancels nothing, and \`GET /api/operations/<id>/events\` with \`Last-Event-ID\` continues
where it stopped. Each event has \`id\` (counted from 1 without gaps), \`event\` (\`log\`, \`complete\` or
\`error\`) and \`data\`, one line of JSON; one \`complete\` or \`error\` ends the stream, and \`: ping\`
keeps a quiet one open. A failure before the first event is an ordinary status. In this document
the schema of a stream is that of the data of one event, and \`x-events\` has those of each kind.

**Plans.** With \`dry_run\`, in the body or the query, a call that changes a machine answers with its
plan, and changes nothing. A call without a plan refuses it with 422.

\`HEAD\` is answered wherever \`GET\` is.
`

const id = { type: 'integer', minimum: 1, maximum: MAX_DIGITS }
const text = { type: 'string' }

/** The parameters of paths. An invalid value is answered with 404. */
const IN_PATH: Record<string, { description: string; schema: object; example: unknown }> = {
  server_id: { description: 'The id of a server.', schema: id, example: 1 },
  site_id: { description: 'The id of a site.', schema: id, example: 7 },
  job: { description: 'The name of a cron job.', schema: text, example: 'import' },
  person_id: { description: 'The id of a person.', schema: id, example: 1 },
  key_id: { description: 'The id of a public key.', schema: id, example: 1 },
  account_id: { description: 'The id of a DNS account.', schema: id, example: 1 },
  group_id: { description: 'The id of a group.', schema: id, example: 3 },
  target_id: { description: 'The id of a backup target.', schema: id, example: 1 },
  backup_id: { description: 'The id of a backup.', schema: id, example: 3 },
  rule_id: { description: 'The id of a rule of the access policy.', schema: id, example: 1 },
  token_id: { description: 'The id of an API token.', schema: id, example: 2 },
  identity_id: {
    description: 'The id of an identity at a provider.',
    schema: id,
    example: 1,
  },
  provider_key: {
    description: 'The key of an identity provider.',
    schema: text,
    example: 'keycloak',
  },
  passkey_id: {
    description: 'The id of a passkey.',
    schema: text,
    example: 'c3BhcmUgc2VjdXJpdHkga2V5',
  },
  session_id: {
    description: 'The id of a session.',
    schema: text,
    example: 'b3JkaW5hcnktc2Vzc2lvbi',
  },
  operation_id: {
    description: 'The id of an operation.',
    schema: text,
    example: 'q3Yk0ZsV1nTfBw8eR5uLxA',
  },
  bulk_id: {
    description: 'The id of a bulk operation.',
    schema: text,
    example: 'hN2cP9dX4mKvJ7sT0aQzLg',
  },
  key: {
    description: 'The name of a setting.',
    schema: { ...text, enum: Object.keys(SETTINGS) },
    example: 'sync_interval',
  },
  file: {
    description: 'A machine and `.gz`.',
    schema: { ...text, pattern: '^[a-z0-9-]+\\.gz$' },
    example: 'linux-x64.gz',
  },
}

/** The parameter for a client that sends no body. */
const DRY_RUN = {
  dry_run: z
    .enum(['true', 'false'])
    .optional()
    .describe('The same as in the body, for a call without one.'),
}

const queryOf = (route: AnyRoute): z.ZodObject | undefined =>
  takesDryRun(route) ? (route.query ?? z.object({})).extend(DRY_RUN) : route.query

interface ObjectSchema {
  properties?: Record<string, Json>
  required?: readonly string[]
}

/** Lists the parameters of a route; `query` is the JSON schema of the result of `queryOf`. */
function parametersOf(
  { method, names, answers }: DescribedRoute,
  query: ObjectSchema | undefined,
): Json[] {
  const inPath = names.map((name) => {
    const known = IN_PATH[name]
    if (!known) throw new Error(`No path parameter ${name} is known to the OpenAPI document`)
    return { name, in: 'path', required: true, ...known }
  })
  const inQuery = Object.entries(query?.properties ?? {}).map(
    ([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: query?.required?.includes(name) ?? false,
      ...(description === undefined ? {} : { description }),
      schema,
    }),
  )
  return [
    ...inPath,
    ...inQuery,
    ...(method === 'GET' && isResumable(answers) ? [LAST_EVENT_ID] : []),
  ]
}

const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The number of the last event that was seen.',
  schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  example: 12,
}

/** Whether a stream is stored, as one with an end is; others report changes as they happen. */
function isResumable(answers: DescribedRoute['answers']): boolean {
  return Object.values(answers).some(({ events }) => events?.complete !== undefined)
}

type Json = Record<string, unknown>

/** The schemas as JSON, by the keys that they were given, and the components that they refer to. */
interface ConvertedSchemas {
  of: Json
  components: Json
}

const PREFIX = '#/components/schemas/'

/** Converts schemas; `input` as they are sent, `output` as they are answered. */
function convert(schemas: Record<string, z.ZodType>, io: 'input' | 'output'): ConvertedSchemas {
  const whole = z.toJSONSchema(z.object(schemas), {
    io,
    override: ({ jsonSchema }) => {
      tidy(jsonSchema)
      // Also in the objects of a body, whose own schemas ignore unknown fields.
      if (jsonSchema.type === 'object' && jsonSchema.properties)
        jsonSchema.additionalProperties ??= false
    },
  })
  const text = JSON.stringify(whole).replaceAll('"#/$defs/', `"${PREFIX}`)
  const { properties = {}, $defs = {} } = JSON.parse(text)
  const components = Object.entries<Json>($defs).map(([name, { id: _, ...schema }]) => {
    const example = EXAMPLES[name] ?? exampleOfParts(schema)
    return [name, example === undefined ? schema : { ...schema, examples: [example] }]
  })
  return { of: properties, components: Object.fromEntries(components) }
}

/** Makes an example where each of the parts has an example or one value. */
function exampleOfParts({ type, properties }: Json): unknown {
  const parts = Object.entries(asObject(properties))
  const known = parts.every(([, part]) => 'examples' in asObject(part) || 'const' in asObject(part))
  return type === 'object' && known ? exampleOf({ type, properties }, {}) : undefined
}

/** The pattern of a whole number in a query (shared/kernel/api/activity.ts). */
const DIGITS = '^[1-9]\\d{0,14}$'

/** Removes what says nothing to a reader: the least safe integer, and how zod checks a time. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.format !== undefined) delete schema.pattern
  if (schema.pattern === DIGITS) {
    delete schema.pattern
    schema.type = 'integer'
  }
  if (schema.exclusiveMinimum === 0 && schema.type === 'integer') {
    delete schema.exclusiveMinimum
    schema.minimum = 1
  }
}

/** Returns a value that the schema allows: its own example, or made of those of its parts. */
function exampleOf(schema: Json, components: Json): unknown {
  const { $ref, examples, default: preset, const: only, enum: several, type } = schema
  if (typeof $ref === 'string')
    return exampleOf(asObject(components[$ref.slice(PREFIX.length)]), components)
  if (Array.isArray(examples)) return examples[0]
  if (preset !== undefined) return preset
  if (only !== undefined) return only
  if (Array.isArray(several)) return several[0]
  const [first] = asList(schema.anyOf ?? schema.oneOf)
  if (first) return exampleOf(first, components)
  if (type === 'array') return [exampleOf(asObject(schema.items), components)]
  if (type === 'integer') return 1
  if (type !== 'object') throw new Error(`No example is known for ${JSON.stringify(schema)}`)
  const parts = Object.entries(asObject(schema.properties))
  return Object.fromEntries(
    parts.map(([key, part]) => [key, exampleOf(asObject(part), components)]),
  )
}

function asObject(value: unknown): Json {
  return Object(value)
}

function asList(value: unknown): Json[] {
  return Array.isArray(value) ? value : []
}
