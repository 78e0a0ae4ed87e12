import { z } from 'zod'
import { command } from '#shared/command.ts'
import { Domain } from '#shared/fields.ts'

export const cachePurge = command({
  name: 'cache.purge',
  summary: 'Clear the page cache of a site',
  changes: true,
  params: z.object({ domain: Domain }),
  result: z.object({ domain: z.string().max(253) }),
})
