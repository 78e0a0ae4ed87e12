import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ApiDocument, Schema } from '#dashboard/web/api/openapi.ts'
import { resolve } from './operations.ts'
import { InlineText } from './prose.tsx'

interface TreeProps {
  document: ApiDocument
  schema: Schema
}

/** The fields of an object, or the type of another value; nested values can be opened. */
export function SchemaTree({ document, schema: reference }: TreeProps) {
  const { schema } = resolve(document, reference)
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length > 0)
    return (
      <ul className="flex flex-col divide-y divide-line">
        {fields.map(([name, field]) => (
          <Field
            key={name}
            name={name}
            document={document}
            schema={field}
            required={schema.required?.includes(name) ?? false}
            open={fields.length === 1}
          />
        ))}
      </ul>
    )
  const parts = partsOf(schema)
  if (parts.length === 1 && parts[0]) return <SchemaTree document={document} schema={parts[0]} />
  return (
    <ul className="flex flex-col divide-y divide-line">
      {parts.map((part) => (
        <Field key={typeOf(part)} name="either" document={document} schema={part} required />
      ))}
    </ul>
  )
}

interface FieldProps extends TreeProps {
  name: string
  required: boolean
  /** Whether its parts are shown at first. */
  open?: boolean
}

export function Field({ name, document, schema: reference, required, open = false }: FieldProps) {
  const { schema, name: component } = resolve(document, reference)
  const line = (
    <Line name={name} required={required} type={typeOf(schema, component)} rules={rulesOf(schema)}>
      {schema.description}
    </Line>
  )
  if (!isMadeOfParts(document, schema)) return <li className="py-2">{line}</li>
  return (
    <li>
      <details open={open}>
        <summary className="flex cursor-pointer list-none items-start gap-2 rounded py-2 hover:bg-sunken">
          {line}
          <ChevronRight className="mt-0.5 size-4 shrink-0 text-muted [[open]>summary>&]:rotate-90" />
        </summary>
        <div className="mb-2 border-l-2 border-line pl-4">
          <SchemaTree document={document} schema={schema} />
        </div>
      </details>
    </li>
  )
}

interface LineProps {
  name: string
  required: boolean
  type: string
  rules: readonly string[]
  children: string | undefined
}

function Line({ name, required, type, rules, children }: LineProps): ReactNode {
  return (
    <div className="min-w-0 flex-1">
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
        <span className="font-mono text-[0.92em] font-medium break-all">{name}</span>
        <span className="text-xs text-muted">{type}</span>
        {!required && <span className="text-xs text-muted italic">optional</span>}
        {rules.map((rule) => (
          <span key={rule} className="rounded bg-sunken px-1.5 font-mono text-xs wrap-anywhere">
            {rule}
          </span>
        ))}
      </div>
      {children && (
        <div className="text-muted">
          <InlineText text={children} />
        </div>
      )}
    </div>
  )
}

/** The parts of a value that is no object: its variants, or the entries of a list. */
function partsOf({ anyOf, items, prefixItems, additionalProperties }: Schema): readonly Schema[] {
  if (anyOf) return anyOf.filter(({ type }) => type !== 'null')
  if (items) return [items]
  if (prefixItems) return []
  return typeof additionalProperties === 'object' ? [additionalProperties] : []
}

function isMadeOfParts(document: ApiDocument, schema: Schema): boolean {
  if (schema.properties) return Object.keys(schema.properties).length > 0
  return partsOf(schema).some((part) => isMadeOfParts(document, resolve(document, part).schema))
}

/** The type of a value in a word or two. */
function typeOf(schema: Schema, name?: string): string {
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

/** The rules of a value, each in a few words. */
function rulesOf(schema: Schema): string[] {
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
