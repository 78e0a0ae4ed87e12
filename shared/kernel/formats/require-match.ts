import { invalid } from '#shared/kernel/errors.ts'

/**
 * Returns the value if `allowed`, an anchored expression, matches it. Throws 422 on the field
 * otherwise: a format carries a value exactly, or refuses it. The message never has the value.
 */
export function requireMatch(
  field: string,
  value: string | number,
  allowed: RegExp,
  rule: string,
): string {
  const text = String(value)
  if (!allowed.test(text)) throw invalid({ [field]: [rule] })
  return text
}
