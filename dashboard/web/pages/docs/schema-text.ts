import type { Schema } from '#dashboard/web/api/openapi.ts'

/** What kind of value it is, in a word or two. */
export function typeOf(schema: Schema, name?: string): string {
  if (name !== undefined) return name
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? ''
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one)).join(' or ')
  if (schema.type === 'array') return `list of ${schema.items ? typeOf(schema.items) : 'values'}`
  if (schema.format === 'date-time') return 'time'
  const { type } = schema
  if (type === undefined) return 'anything'
  return typeof type === 'string' ? type : type.join(' or ')
}

/** Its rules, each in a few words. */
export function rulesOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, maxItems, pattern, format } = schema
  const [plain] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
  const inner = plain && schema.anyOf?.length === 2 ? rulesOf(plain) : []
  return [
    ...(schema.enum ? [schema.enum.map(String).join(', ')] : []),
    ...rangeOf(minimum, maximum, ''),
    ...rangeOf(minLength, maxLength, ' characters'),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
    ...(format !== undefined && format !== 'date-time' ? [format] : []),
    ...(pattern === undefined ? [] : [pattern]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
    ...inner,
  ]
}

/** The bounds of whole numbers that a reader need not know: of JavaScript, and of an id. */
const MAX_READABLE = 999_999_999_999_999

function rangeOf(least: number | undefined, limit: number | undefined, unit: string): string[] {
  const most = limit !== undefined && limit >= MAX_READABLE ? undefined : limit
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`]
  if (least !== undefined) return [`at least ${least}${unit}`]
  return most === undefined ? [] : [`at most ${most}${unit}`]
}
