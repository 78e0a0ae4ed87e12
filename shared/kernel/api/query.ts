import { z } from 'zod'

/** Several values with commas between them, each one of `values`. */
export function someOf<const T extends readonly [string, ...string[]]>(values: T) {
  const rule = `Must be one or more of ${values.join(', ')}`
  const one = values.join('|').replaceAll('.', '\\.')
  return z
    .string(rule)
    .max(255, rule)
    .meta({ pattern: `^(?:${one})(?:,(?:${one}))*$` })
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(values, { error: rule })))
    .describe(`One or more of ${values.join(', ')}, with commas between them.`)
}

/** `true` or `false` in a query. */
export const Flag = z
  .enum(['true', 'false'], { error: 'Must be true or false' })
  .transform((text) => text === 'true')
