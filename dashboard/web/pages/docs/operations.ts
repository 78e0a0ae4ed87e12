import type { Answer, ApiDocument, Operation, Schema } from '#dashboard/web/api/openapi.ts'

/** An operation with its place in the document. */
export interface Call extends Operation {
  method: string
  path: string
}

export function callsOf({ paths }: ApiDocument): Call[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
}

/** By subject, in the order of the document; a call matches if it contains every word of `q`. */
export function groupsOf(document: ApiDocument, q: string): { tag: string; calls: Call[] }[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const found = callsOf(document).filter((call) => {
    const text = textOf(call)
    return words.every((word) => text.includes(word))
  })
  return document.tags
    .map(({ name }) => ({ tag: name, calls: found.filter(({ tags }) => tags.includes(name)) }))
    .filter(({ calls }) => calls.length > 0)
}

function textOf({ method, path, summary, description = '', operationId, tags }: Call): string {
  return [method, path, summary, description, operationId, ...tags].join(' ').toLowerCase()
}

/** The component of a reference, with its name. */
export function resolve(
  { components }: ApiDocument,
  schema: Schema,
): { schema: Schema; name: string | undefined } {
  const name = schema.$ref?.split('/').at(-1)
  const found = name === undefined ? undefined : components.schemas[name]
  if (!found) return { schema, name: undefined }
  return {
    schema: { ...found, ...(schema.description && { description: schema.description }) },
    name,
  }
}

export function resolveAnswer({ components }: ApiDocument, answer: Answer): Answer {
  const name = answer.$ref?.split('/').at(-1) ?? ''
  return components.responses[name] ?? answer
}
