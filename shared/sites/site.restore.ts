import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import {
  bulkParams,
  completesWith,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'
import { Accept } from '#shared/kernel/plan.ts'

const siteRestore = command({
  name: 'site.restore',
  summary: 'Restore a site from the trash as it was',
  changes: true,
  params: z.object({ domain: Domain, accept: Accept.optional() }),
  result: z.object({ domain: ReportedDomain }),
})

export const siteRestoreType = operationType({
  name: 'Restore site',
  title: 'Restore',
  target: 'site',
  command: siteRestore,
  right: 'operate',
  params: siteRestore.params.omit({ domain: true }),
  confirms: SAME_DOMAIN,
  outcome: completesWith(siteRestore.result),
  bulk: {
    title: 'Restore',
    params: bulkParams({ accept: Accept.optional() }),
    words: { accept: null },
  },
})
