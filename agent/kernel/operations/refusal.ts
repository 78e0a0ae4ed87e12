import { z } from 'zod'
import { type ErrorName, ServiceError } from '#shared/kernel/errors.ts'

/** A refusal of the request itself: the caller treats it as the end and shows it to people. */
const FINAL = ['not_found', 'conflict', 'invalid', 'forbidden'] satisfies ErrorName[]

/** The record of an operation that was refused before its first line: alone in its folder. */
export const Refusal = z.object({
  at: z.number(),
  fingerprint: z.string(),
  code: z.enum(FINAL),
  message: z.string(),
  fields: z.record(z.string(), z.array(z.string())).optional(),
})
export type Refusal = z.infer<typeof Refusal>

/**
 * Returns the refusal to record; undefined for temporary failures: a full disk, a crashed program.
 */
export function refusalOf(error: unknown, facts: Pick<Refusal, 'at' | 'fingerprint'>) {
  if (!(error instanceof ServiceError)) return undefined
  const { message = '', fields } = error.body
  return Refusal.safeParse({ ...facts, code: error.code, message, fields }).data
}

/** The same answer as the first time. */
export function refusedAgain({ code, message, fields }: Refusal): ServiceError {
  return new ServiceError(code, fields ? { fields } : { message })
}
