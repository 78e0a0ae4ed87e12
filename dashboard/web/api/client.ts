import { treaty } from '@elysiajs/eden'
import type { createApp } from '#dashboard/app.ts'

/** The dashboard that this page comes from, by the types of its own routes. Times stay ISO texts. */
export const { api } = treaty<ReturnType<typeof createApp>>(location.origin, { parseDate: false })

/** An error body, or none at all (`status` 0). */
export class ApiError extends Error {
  readonly status: number
  /** The message for each field that was refused; empty but for 422. */
  readonly fields: Readonly<Record<string, string>>

  constructor(status: number, body: unknown) {
    const { error, message, fields } = Object(body) as Record<string, unknown>
    super(textOf(status, message ?? error))
    this.status = status
    const entries = Object.entries(Object(fields)).map(([name, texts]) => [name, [texts].flat()[0]])
    this.fields = Object.fromEntries(entries)
  }
}

function textOf(status: number, said: unknown): string {
  if (status === 0) return 'The dashboard cannot be reached. Check your connection and try again.'
  return typeof said === 'string' && said ? said : `The dashboard answered ${status}`
}

/** As Eden answers; without a connection there is no `response`. */
interface Answer<T> {
  data: T
  error: { value: unknown } | null
  status: number
  response: Response | undefined
}

/** The body of an answer. Throws ApiError for any but a success. */
export async function take<T>(asked: Promise<Answer<T>>): Promise<NonNullable<T>> {
  const { data, error, status, response } = await asked
  if (error || data === null || data === undefined)
    throw new ApiError(response ? status : 0, error?.value)
  return data
}

/** As `take`, for an answer without a body. */
export async function done(asked: Promise<Answer<unknown>>): Promise<void> {
  const { error, status, response } = await asked
  if (error) throw new ApiError(response ? status : 0, error.value)
}

/** What was asked for is not there, or not any more. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong'
}
