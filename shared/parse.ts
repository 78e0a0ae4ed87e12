import type { z } from 'zod'
import { fieldsOf, invalid } from './errors.ts'

/** The parsed value, or a 422 naming each failing field and its rule. */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw invalid(fieldsOf(result.error.issues))
}
