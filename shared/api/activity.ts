import { z } from 'zod'
import { ACTIVITY_STATUSES } from '../values.ts'

/** A whole number in a query: digits only, since number conversions take `1e3` and `0x10`. */
export const digits = (message: string) =>
  z
    .string(message)
    .regex(/^[1-9]\d{0,14}$/, message)
    .transform(Number)

const limitRule = 'Must be a whole number between 1 and 500'

export const Limit = digits(limitRule).refine((value) => value <= 500, limitRule)

export const ActivityQuery = z.object({
  limit: Limit.default(50),
  before: digits('Must be an id').optional(),
  type: z.string().max(64, 'Must have at most 64 characters').optional(),
  status: z
    .enum(ACTIVITY_STATUSES, { error: `Must be one of ${ACTIVITY_STATUSES.join(', ')}` })
    .optional(),
  domain: z.string().max(253, 'Must have at most 253 characters').optional(),
  server_id: digits('Must be an id').optional(),
})
export type ActivityQuery = z.infer<typeof ActivityQuery>

export const Activity = z.strictObject({
  id: z.number(),
  type: z.string(),
  domain: z.string(),
  status: z.enum(ACTIVITY_STATUSES),
  created_at: z.string(),
})
export type Activity = z.infer<typeof Activity>
