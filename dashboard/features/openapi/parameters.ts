import { z } from 'zod'
import { type AnyRoute, takesDryRun } from '#dashboard/kernel/http/route.ts'
import { MAX_DIGITS } from '#shared/kernel/api/activity.ts'
import { SETTINGS } from '#shared/settings/api/settings.ts'
import type { Route } from './described.ts'
import type { Json } from './schemas.ts'

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
  target_id: { description: 'The id of a backup target.', schema: id, example: 1 },
  backup_id: { description: 'The id of a backup.', schema: id, example: 3 },
  token_id: { description: 'The id of an API token.', schema: id, example: 2 },
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

/** Also in the query, for a client that sends no body. */
const DRY_RUN = {
  dry_run: z
    .enum(['true', 'false'])
    .optional()
    .describe('The same as in the body, for a call without one.'),
}

/** The query parameters of a route. */
export const queryOf = (route: AnyRoute): z.ZodObject | undefined =>
  takesDryRun(route) ? (route.query ?? z.object({})).extend(DRY_RUN) : route.query

interface Shape {
  properties?: Record<string, Json>
  required?: readonly string[]
}

/** `query`: the JSON schema of the result of `queryOf`. */
export function parametersOf({ method, names, answers }: Route, query: Shape | undefined): Json[] {
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

/** A stream that has an end is stored; one without an end reports changes as they happen. */
function isResumable(answers: Route['answers']): boolean {
  return Object.values(answers).some(({ events }) => events?.complete !== undefined)
}
