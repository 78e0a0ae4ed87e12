import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import {
  completesWith,
  noParams,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'

export const sitePurge = command({
  name: 'site.purge',
  summary: 'Permanently delete a site in the trash, with its user, files, database and certificate',
  changes: true,
  params: z
    .object({
      domain: Domain,
      confirm: Domain,
      trashed_days: z
        .int()
        .min(0)
        .max(365)
        .describe(
          'How long the site must have been in the trash by the record of the server; 0: somebody deletes it now',
        ),
    })
    .refine(({ domain, confirm }) => domain === confirm, {
      path: ['confirm'],
      when: ({ issues }) => issues.length === 0,
      message: 'Must be the domain of the site',
    }),
  result: z.object({ domain: ReportedDomain }),
})

export const sitePurgeType = operationType({
  name: 'Delete site permanently',
  title: 'Permanently delete',
  target: 'site',
  command: sitePurge,
  right: 'admin',
  params: noParams,
  confirms: SAME_DOMAIN,
  outcome: completesWith(sitePurge.result),
  bulk: null,
})
