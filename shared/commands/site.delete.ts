import { z } from 'zod'
import { command } from '#shared/command.ts'
import { Domain } from '#shared/fields.ts'

export const siteDelete = command({
  name: 'site.delete',
  summary: 'Take a site that this agent made off the web and move it to the trash',
  changes: true,
  params: z.object({ domain: Domain }),
  /** `size` is what it takes in the trash, in bytes. */
  result: z.object({
    domain: z.string().max(253),
    size: z.number().nonnegative().max(Number.MAX_SAFE_INTEGER).optional(),
  }),
})
