import type { z } from 'zod'
import { fieldsOf, invalid } from './errors.ts'

/** Returns the parsed value, or throws a 422 naming each failing field and its rule. */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw invalid(fieldsOf(result.error.issues.flatMap(splitUnknownFields)))
}

/** Splits an issue with several unknown fields: each fails by its own name. */
const splitUnknownFields = (
  issue: z.core.$ZodIssue,
): Pick<z.core.$ZodIssue, 'path' | 'message'>[] =>
  issue.code === 'unrecognized_keys' && issue.path.length === 0
    ? issue.keys.map((key) => ({ path: [key], message: issue.message }))
    : [issue]

/** Returns the value of a JSON text; undefined for a missing, invalid or unexpected one. */
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
