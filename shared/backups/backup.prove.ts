import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, Id, ReportedDomain } from '#shared/kernel/fields.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { KnownRepository, SnapshotId } from './backup.ts'
import { ProofReport } from './proof.ts'

/** `backup` is the snapshot of the manifest. */
const backupProve = command({
  name: 'backup.prove',
  summary: 'Restore a backup into a hidden site, check it and remove it',
  changes: true,
  needs: () => NEEDS.backups,
  minutes: 24 * 60,
  silent_minutes: 15,
  params: KnownRepository.extend({
    domain: Domain,
    backup: SnapshotId,
  }),
  result: z.object({ domain: ReportedDomain, proof: ProofReport }),
})

export const backupProveType = operationType({
  name: 'Prove backup',
  title: 'Prove a backup of',
  target: 'site',
  command: backupProve,
  right: 'operate',
  excludes: 'same_type',
  params: z.object({ backup_id: Id.optional().describe('Default: the newest one.') }),
  confirms: { ...SAME_DOMAIN, 'proof.backup': 'backup' },
  outcome: completesWith(backupProve.result),
  bulk: null,
})
