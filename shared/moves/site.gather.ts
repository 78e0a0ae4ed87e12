import { z } from 'zod'
import { SnapshotId } from '#shared/backups/backup.ts'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { CopiedTables, Gathered, Gathering } from '#shared/sites/gathered.ts'

const siteGather = command({
  name: 'site.gather',
  summary: 'Save the files and the database of a site that moves, for its copy on another server',
  changes: true,
  needs: () => NEEDS.backups,
  minutes: 12 * 60,
  silent_minutes: 15,
  params: z.object({
    domain: Domain,
    from: Gathering,
    known: CopiedTables.optional().describe('What the copy has: other tables are saved.'),
    files: SnapshotId.optional().describe('The snapshot of the files that the copy has.'),
  }),
  result: z.object({ domain: ReportedDomain, gathered: Gathered }),
})

/** Part of a move, which the dashboard executes. */
export const siteGatherType = operationType({
  name: 'Gather site',
  title: 'Gather',
  target: 'site',
  command: siteGather,
  right: 'operate',
  params: siteGather.params,
  confirms: SAME_DOMAIN,
  outcome: completesWith(siteGather.result),
  bulk: null,
})
