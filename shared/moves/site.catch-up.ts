import { z } from 'zod'
import { SnapshotId } from '#shared/backups/backup.ts'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { CopiedTables, Gathered, Gathering } from '#shared/sites/gathered.ts'

const siteCatchUp = command({
  name: 'site.catch-up',
  summary: 'Copy the changes of a site that moves to its closed copy',
  changes: true,
  needs: () => NEEDS.backups,
  minutes: 12 * 60,
  silent_minutes: 15,
  params: z.object({
    domain: Domain,
    from: Gathering.extend({
      backup: SnapshotId.optional().describe(
        'A copy that only forwards takes over the settings that the site has in this backup.',
      ),
    }),
    gathered: Gathered,
  }),
  result: z.object({
    domain: ReportedDomain,
    at: z.iso.datetime().describe('The time of the copied state.'),
    tables: z.int().nonnegative().describe('The tables that had changed.'),
    has: CopiedTables.optional().describe('All tables of the copy.'),
  }),
})

/** Part of a move, which the dashboard executes. */
export const siteCatchUpType = operationType({
  name: 'Catch up site',
  title: 'Catch up',
  target: 'site',
  command: siteCatchUp,
  right: 'operate',
  params: siteCatchUp.params,
  confirms: SAME_DOMAIN,
  outcome: completesWith(siteCatchUp.result),
  bulk: null,
})
