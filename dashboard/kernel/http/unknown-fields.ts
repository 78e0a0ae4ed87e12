import type { z } from 'zod'
import { UNKNOWN_FIELD } from '#shared/kernel/api/body.ts'
import type { Fields } from '#shared/kernel/errors.ts'

type Schema = z.core.$ZodTypes

/**
 * Returns the unknown fields in the objects of a body, by the field of the body: a misspelt
 * `expires_at` of a grant would otherwise be ignored, and the grant never end. The fields of the
 * body itself are a matter of its own schema.
 */
export function unknownNestedFields(
  body: z.ZodType,
  given: Readonly<Record<string, unknown>>,
): Fields {
  const { def } = (body as unknown as Schema)._zod
  if (def.type !== 'object') return {}
  const found = Object.entries(def.shape).map(([field, part]): [string, string[]] => [
    field,
    unknownIn(part as Schema, given[field]),
  ])
  const rules = found.filter(([, names]) => names.length > 0)
  return Object.fromEntries(
    rules.map(([field, names]) => [
      field,
      [...new Set(names)].map((name) => `${UNKNOWN_FIELD}: ${name}`),
    ]),
  )
}

function unknownIn({ _zod: { def } }: Schema, value: unknown): string[] {
  switch (def.type) {
    case 'object':
      return isObject(value) ? unknownInObject(def, value) : []
    case 'array':
      return Array.isArray(value)
        ? value.flatMap((entry) => unknownIn(def.element as Schema, entry))
        : []
    case 'union':
      return fewestUnknown(def.options.map((option) => unknownIn(option as Schema, value)))
    case 'pipe':
      return unknownIn(def.in as Schema, value)
    case 'optional':
    case 'nullable':
    case 'default':
      return unknownIn(def.innerType as Schema, value)
    default:
      return []
  }
}

/** Lists the unknown fields of an object; one with a rule for other fields decides by itself. */
function unknownInObject(
  { shape, catchall }: z.core.$ZodObjectDef,
  value: Readonly<Record<string, unknown>>,
): string[] {
  const own = catchall ? [] : Object.keys(value).filter((name) => !Object.hasOwn(shape, name))
  const below = Object.entries(shape).map(([name, part]) => unknownIn(part as Schema, value[name]))
  return [...own, ...below.flat()]
}

/** Returns the shortest list: a value of a union belongs to the option that knows most of it. */
const fewestUnknown = (all: readonly string[][]): string[] =>
  all.reduce((least, names) => (names.length < least.length ? names : least), all[0] ?? [])

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
