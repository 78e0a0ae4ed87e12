import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ApiDocument, Schema } from '#dashboard/web/api/openapi.ts'
import { resolve } from './operations.ts'
import { InlineText } from './prose.tsx'
import { rulesOf, typeOf } from './schema-text.ts'

interface TreeProps {
  document: ApiDocument
  schema: Schema
}

/** The fields of an object, or the type of another value; nested values can be opened. */
export function SchemaTree({ document, schema: given }: TreeProps) {
  const { schema } = resolve(document, given)
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

export function Field({ name, document, schema: given, required, open = false }: FieldProps) {
  const { schema, name: component } = resolve(document, given)
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
