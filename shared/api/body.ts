import { z } from 'zod'
import { DryRun } from '#shared/plan.ts'

/** The body of a request: unknown fields are ignored, and a body that is not an object fails on `body`. */
export function body<S extends z.ZodRawShape>(shape: S) {
  return z.object(shape, 'Must be a JSON object')
}

/** The body of a call without other fields. */
export const OnlyDryRun = body({ dry_run: DryRun }).meta({ id: 'OnlyDryRun' })
