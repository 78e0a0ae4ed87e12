import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { AddressReport, CopySource } from './copy-source.ts'
import { CloneOf } from './site.clone.ts'

/** The result of a command that replaces the content of a site by that of another one. */
export const ReplacementResult = z.object({
  domain: ReportedDomain,
  at: z.iso.datetime().describe('The time of the copied state.'),
  until: z.iso.datetime().describe('The previous files and database are kept until then.'),
  addresses: AddressReport,
})

const siteRefresh = command({
  name: 'site.refresh',
  summary: 'Replace the files and the database of a staging site by those of its live site',
  changes: true,
  needs: ({ from }) => (from.kind === 'backup' ? NEEDS.backups : undefined),
  minutes: 24 * 60,
  silent_minutes: 30,
  params: z.object({ domain: Domain.describe('A staging site.'), from: CopySource }),
  result: ReplacementResult,
})

export const siteRefreshType = operationType({
  name: 'Refresh staging site',
  title: 'Refresh',
  target: 'site',
  command: siteRefresh,
  right: 'operate',
  params: z.object({
    from: CloneOf.optional().describe('Default: the live site of which it is a copy.'),
  }),
  confirms: SAME_DOMAIN,
  outcome: completesWith(ReplacementResult),
  bulk: null,
})
