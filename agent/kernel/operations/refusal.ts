import { z } from 'zod'
import { type ErrorName, ServiceError } from '#shared/kernel/errors.ts'

/** Refusals of the request itself: the caller treats them as the end and shows them. */
const FINAL = ['not_found', 'conflict', 'invalid', 'forbidden'] satisfies ErrorName[]

/** The record of an operation that was refused before its first line: alone in its folder. */
export const RefusalRecord = z.object({
  at: z.number(),
  fingerprint: z.string(),
  code: z.enum(FINAL),
  message: z.string(),
  fields: z.record(z.string(), z.array(z.string())).optional(),
})
export type RefusalRecord = z.infer<typeof RefusalRecord>

/** Returns the refusal to record; undefined for a temporary failure, as a full disk. */
export function refusalOf(error: unknown, facts: Pick<RefusalRecord, 'at' | 'fingerprint'>) {
  if (!(error instanceof ServiceError)) return undefined
  const { message = '', fields } = error.body
  return RefusalRecord.safeParse({ ...facts, code: error.code, message, fields }).data
}

/** Returns the same error as the first time. */
export function errorOfRefusal({ code, message, fields }: RefusalRecord): ServiceError {
  return new ServiceError(code, fields ? { fields } : { message })
}
