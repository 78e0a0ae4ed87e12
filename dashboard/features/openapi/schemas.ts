import { z } from 'zod'
import { EXAMPLES } from './examples.ts'

export type Json = Record<string, unknown>

/** The schemas as JSON, by the keys that they were given, and the components that they refer to. */
export interface Converted {
  of: Json
  components: Json
}

const PREFIX = '#/components/schemas/'

/** `input`: as they are sent; `output`: as they are answered. */
export function convert(schemas: Record<string, z.ZodType>, io: 'input' | 'output'): Converted {
  const whole = z.toJSONSchema(z.object(schemas), {
    io,
    override: ({ jsonSchema }) => {
      tidy(jsonSchema)
      // Also in the objects of a body, whose own schemas ignore unknown fields.
      if (jsonSchema.type === 'object' && jsonSchema.properties)
        jsonSchema.additionalProperties ??= false
    },
  })
  const text = JSON.stringify(whole).replaceAll('"#/$defs/', `"${PREFIX}`)
  const { properties = {}, $defs = {} } = JSON.parse(text)
  const components = Object.entries<Json>($defs).map(([name, { id: _, ...schema }]) => {
    const example = EXAMPLES[name] ?? madeOfItsParts(schema)
    return [name, example === undefined ? schema : { ...schema, examples: [example] }]
  })
  return { of: properties, components: Object.fromEntries(components) }
}

/** Where each of its parts has an example or one value. */
function madeOfItsParts({ type, properties }: Json): unknown {
  const parts = Object.entries(object(properties))
  const known = parts.every(([, part]) => 'examples' in object(part) || 'const' in object(part))
  return type === 'object' && known ? exampleOf({ type, properties }, {}) : undefined
}

/** Of a whole number in a query (shared/kernel/api/activity.ts). */
const DIGITS = '^[1-9]\\d{0,14}$'

/** Leaves out what says nothing to a reader: the least safe integer, and how zod checks a time. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.format !== undefined) delete schema.pattern
  if (schema.pattern === DIGITS) {
    delete schema.pattern
    schema.type = 'integer'
  }
  if (schema.exclusiveMinimum === 0 && schema.type === 'integer') {
    delete schema.exclusiveMinimum
    schema.minimum = 1
  }
}

/** A value that the schema allows: its own example, or made of those of its parts. */
export function exampleOf(schema: Json, components: Json): unknown {
  const { $ref, examples, default: preset, const: only, enum: several, type } = schema
  if (typeof $ref === 'string')
    return exampleOf(object(components[$ref.slice(PREFIX.length)]), components)
  if (Array.isArray(examples)) return examples[0]
  if (preset !== undefined) return preset
  if (only !== undefined) return only
  if (Array.isArray(several)) return several[0]
  const [first] = list(schema.anyOf ?? schema.oneOf)
  if (first) return exampleOf(first, components)
  if (type === 'array') return [exampleOf(object(schema.items), components)]
  if (type === 'integer') return 1
  if (type !== 'object') throw new Error(`No example is known for ${JSON.stringify(schema)}`)
  const parts = Object.entries(object(schema.properties))
  return Object.fromEntries(parts.map(([key, part]) => [key, exampleOf(object(part), components)]))
}

function object(value: unknown): Json {
  return Object(value)
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value : []
}
