import { z } from 'zod'
import { DryRun } from '#shared/kernel/plan.ts'

/** The rule that an unknown field of a body or a query breaks. */
export const UNKNOWN_FIELD = 'Unknown field'
const NO_OBJECT = 'Must be a JSON object'

/** The body of a request: an unknown field is refused by its name, so no misspelt one is ignored. */
export function body<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? UNKNOWN_FIELD : NO_OBJECT),
  })
}

/** The body of a call whose contract says that unknown fields are ignored. */
export function openBody<S extends z.ZodRawShape>(shape: S) {
  return z.object(shape, NO_OBJECT).meta({ additionalProperties: true })
}

/** The body of a call without other fields. */
export const OnlyDryRun = body({ dry_run: DryRun }).meta({ id: 'OnlyDryRun' })
