import { z } from 'zod'
import { command } from '../command.ts'
import { Domain } from '../fields.ts'

export const sitePurge = command({
  name: 'site.purge',
  summary: 'Permanently delete a site in the trash, with its user, files, database and certificate',
  changes: true,
  params: z
    .object({ domain: Domain, confirm: Domain })
    .refine(({ domain, confirm }) => domain === confirm, {
      path: ['confirm'],
      when: ({ issues }) => issues.length === 0,
      message: 'Must be the domain of the site',
    }),
  result: z.object({ domain: z.string().max(253) }),
})
