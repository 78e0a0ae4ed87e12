import { z } from 'zod'
import { command } from '../command.ts'
import { Domain } from '../fields.ts'

export const siteDelete = command({
  name: 'site.delete',
  summary:
    'Remove a site that this agent made, with its user, files, pool, database and certificate',
  changes: true,
  params: z.object({ domain: Domain }),
  result: z.object({ domain: z.string() }),
})
