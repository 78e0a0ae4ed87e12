import { z } from 'zod'
import { someOf } from '#shared/kernel/api/query.ts'
import { SERVER_STATUSES } from '#shared/kernel/values.ts'
import { SERVER_SORTS, type ServersSearch } from './search.ts'

/** The rules of the address, with the messages of the API, which has no call that filters servers. */
export const ServersQuery = z.object({
  q: z.string().optional(),
  status: someOf(SERVER_STATUSES).optional(),
  tag: z.string().optional(),
  sort: z.enum(SERVER_SORTS, { error: `Must be one of ${SERVER_SORTS.join(', ')}` }).optional(),
  order: z.enum(['asc', 'desc'], { error: 'Must be asc or desc' }).optional(),
} satisfies Record<keyof ServersSearch, z.ZodType>)
