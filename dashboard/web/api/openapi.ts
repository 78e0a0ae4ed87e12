import { queryOptions } from '@tanstack/react-query'
import { ApiError } from './client.ts'

/** A JSON schema, as far as our document uses it. */
export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  items?: Schema | false
  prefixItems?: readonly Schema[]
  anyOf?: readonly Schema[]
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
  example?: unknown
}

interface Sample {
  schema: Schema
  example?: unknown
}

export interface Media extends Sample {
  'x-events'?: Readonly<Record<string, Sample>>
}

type Content = Readonly<Record<string, Media>>

export interface Answer {
  $ref?: string
  description?: string
  headers?: Readonly<Record<string, { $ref: string }>>
  content?: Content
}

export interface Operation {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  security?: readonly unknown[]
  parameters?: readonly Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Readonly<Record<string, Answer>>
}

export interface ApiDocument {
  info: { title: string; version: string; description: string }
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    responses: Readonly<Record<string, Answer>>
    headers: Readonly<Record<string, { description: string }>>
  }
}

export const OPENAPI_PATH = '/api/openapi.json'

/** The OpenAPI document, which stays the same until the dashboard is updated. */
export const openApiQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: async (): Promise<ApiDocument> => {
    const response = await fetch(OPENAPI_PATH).catch(() => {
      throw new ApiError(0, undefined)
    })
    const body: unknown = await response.json()
    if (!response.ok) throw new ApiError(response.status, body)
    return body as ApiDocument
  },
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: false,
})
