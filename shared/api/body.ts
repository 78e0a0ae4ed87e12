import { z } from 'zod'
import { DryRun } from '#shared/plan.ts'

/** The body of a request: unknown fields are ignored, and what is no object fails on `body`. */
export function body<S extends z.ZodRawShape>(shape: S) {
  return z.object(shape, 'Must be a JSON object')
}

/** Of a call that takes nothing else. */
export const OnlyDryRun = body({ dry_run: DryRun }).meta({ id: 'OnlyDryRun' })
