import type { z } from 'zod'
import { fieldsOf, invalid } from './errors.ts'

/** The parsed value, or a 422 naming each failing field and its rule. */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw invalid(fieldsOf(result.error.issues))
}

/** The value of a JSON text; undefined for a missing, invalid or unexpected one. */
export function parseJson<S extends z.ZodType>(
  schema: S,
  text: string | undefined,
): z.output<S> | undefined {
  try {
    return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
