import { z } from 'zod'
import { command } from '#shared/command.ts'
import { Domain } from '#shared/fields.ts'

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
