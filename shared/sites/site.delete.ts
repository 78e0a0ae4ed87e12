import { z } from 'zod'
import { without_backup } from '#shared/backups/without-backup.ts'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain, TrueOrFalse } from '#shared/kernel/fields.ts'
import {
  bulkParams,
  completesWith,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'

const siteDelete = command({
  name: 'site.delete',
  summary: 'Move a site that this agent created to the trash',
  changes: true,
  params: z.object({
    domain: Domain,
    copy: TrueOrFalse.optional().describe('Only the copy of a site that moves: no other is found.'),
  }),
  /** `size` is the disk use in the trash, in bytes. */
  result: z.object({
    domain: ReportedDomain,
    size: z.number().nonnegative().max(Number.MAX_SAFE_INTEGER).optional(),
  }),
})

export const siteDeleteType = operationType({
  name: 'Delete site',
  title: 'Delete',
  target: 'site',
  command: siteDelete,
  right: 'operate',
  params: z.object({ without_backup }),
  confirms: SAME_DOMAIN,
  outcome: completesWith(siteDelete.result),
  bulk: {
    title: 'Delete',
    params: bulkParams({ without_backup }),
    words: { without_backup: null },
  },
})
