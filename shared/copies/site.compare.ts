import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, Id, ReportedDomain } from '#shared/kernel/fields.ts'
import { operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'

export const MAX_TABLES = 2000
export const MAX_PATHS = 20

const amount = z.int().nonnegative()
const Paths = z.object({ count: amount, examples: z.array(z.string().max(300)).max(MAX_PATHS) })

export const ComparedContent = z.object({
  domain: ReportedDomain,
  from: ReportedDomain,
  files: z.object({
    added: Paths.describe('Only on the staging site.'),
    changed: Paths.describe('With another size or time of change.'),
    removed: Paths.describe('Only on the live site.'),
    live_changed: Paths.describe(
      'Those of changed and removed that were written on the live site since the staging site was made, refreshed or pushed: a push of the files reverts or removes them. Without uploads, which are merged.',
    ),
    live_known: z
      .boolean()
      .describe(
        'False: nothing is known of what the live site has written since, so live_changed has all files that differ. The folder of the live site was replaced.',
      ),
  }),
  tables: z
    .array(
      z.object({
        name: z.string().max(64),
        live_rows: amount.nullable().describe('Null: the live site does not have it.'),
        staging_rows: amount.nullable(),
        live_changed: z.boolean().describe('Since the staging site was made or refreshed.'),
        staging_changed: z.boolean(),
      }),
    )
    .max(MAX_TABLES),
})
export type ComparedContent = z.infer<typeof ComparedContent>

const siteCompare = command({
  name: 'site.compare',
  summary: 'Compare the files and the tables of a live site with those of its staging site',
  changes: false,
  minutes: 6 * 60,
  silent_minutes: 30,
  params: z.object({ domain: Domain.describe('The live site.'), from: Domain }),
  result: ComparedContent,
})

export const siteCompareType = operationType({
  name: 'Compare with staging site',
  title: 'Compare the staging site with',
  target: 'site',
  command: siteCompare,
  right: 'operate',
  params: z.object({ staging_id: Id.describe('Its staging site.') }),
  confirms: { ...SAME_DOMAIN, from: 'from' },
  outcome: {
    result: ComparedContent,
    complete: z.strictObject({ status: z.literal('ok'), ...ComparedContent.shape }),
    data: (result) => ({ status: 'ok', ...result }),
  },
  bulk: null,
})
