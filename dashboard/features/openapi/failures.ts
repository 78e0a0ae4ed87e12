import { z } from 'zod'
import { BrokenRules } from '#shared/kernel/api/parts.ts'
import { ERRORS, type ErrorName, REFUSALS } from '#shared/kernel/errors.ts'
import type { DescribedRoute } from './described-routes.ts'

const message = z.string()
const code = z
  .enum(REFUSALS)
  .exactOptional()
  .describe('site_not_managed: the site was found, not created by Hosting Control.')
const fields = z
  .record(z.string(), z.array(z.string()))
  .describe('The broken rules by the name of each failing field.')

/** The meaning of each error, and its body beside `error`; a message by default. */
const DESCRIPTIONS: Record<ErrorName, { about: string; rest?: z.ZodRawShape; example: object }> = {
  bad_request: {
    about: 'The body is malformed JSON, or no JSON object.',
    example: { message: 'Malformed JSON' },
  },
  unauthorized: {
    about:
      'No valid session or token. Of a login: wrong credentials; `code` says what a program can do.',
    rest: { message: message.optional(), code },
    example: {},
  },
  forbidden: {
    about:
      'The account does not have the right, or must set up a second factor first (`second_factor_missing`), the scope of the API token is too small, or a request with a cookie comes from another site, from a link or from a form.',
    rest: { message, code },
    example: { message: 'This needs an API token of the scope admin; this one has operate' },
  },
  not_found: {
    about: 'The object of the path does not exist.',
    example: { message: 'Server not found' },
  },
  conflict: {
    about: 'The current state does not allow it; `code` is for programs that can act on it.',
    rest: { message, code, broken_rules: BrokenRules },
    example: { message: 'Another operation is running: Back up shop.example' },
  },
  too_large: {
    about: 'The body has more than 1 MiB.',
    example: { message: 'The body must have at most 1 MiB' },
  },
  unsupported_media: {
    about: 'The body is not application/json.',
    example: { message: 'The body must be application/json' },
  },
  invalid: {
    about: 'A field of the body or the query breaks its rule, or is unknown.',
    rest: { fields },
    example: { fields: { hostname: ['Hostname is required'] } },
  },
  too_many: {
    about: 'Too many attempts; `Retry-After` is the time until the next one may succeed.',
    example: { message: 'Too many failed attempts, try again later' },
  },
  internal: {
    about: 'An unexpected error; the log has the details under the request id.',
    example: {
      message: 'Something went wrong; the log has more under request id m3Jx0pQvT8aZ',
    },
  },
  offline: {
    about: 'The agent of the server is unreachable or busy.',
    example: { message: 'The agent on web-1.example.net:8443 refused the connection' },
  },
}

const pascal = (name: ErrorName) =>
  name.replace(/(^|_)(\w)/g, (_, __, letter) => letter.toUpperCase())

const NAMES = Object.keys(DESCRIPTIONS) as ErrorName[]

/** The error bodies of shared/kernel/errors.ts, each as a component of that name. */
export const FAILURES = NAMES.map((name) => {
  const { status, error } = ERRORS[name]
  const { about, rest = { message }, example } = DESCRIPTIONS[name]
  const schema = z
    .strictObject({ error: z.literal(error), ...rest })
    .meta({ id: `${pascal(name)}Error`, description: about })
  return { name, status, about, id: pascal(name), schema, example: { error, ...example } }
})

export function failuresOf({
  method,
  query,
  names,
  errors = [],
  open,
  needs_confirmation,
  ignores_unknown,
}: DescribedRoute) {
  const possible = new Set<ErrorName>(['internal', ...errors])
  const add = (when: boolean, ...more: ErrorName[]) => {
    if (when) for (const name of more) possible.add(name)
  }
  add(!open, 'unauthorized')
  add(needs_confirmation === true, 'conflict')
  add(method !== 'GET' || !open, 'forbidden')
  add(
    names.some((name) => name !== 'key'),
    'not_found',
  )
  add(query !== undefined || ignores_unknown === undefined, 'invalid')
  add(method !== 'GET', 'bad_request', 'too_large', 'unsupported_media', 'invalid')
  return FAILURES.filter(({ name }) => possible.has(name))
}
