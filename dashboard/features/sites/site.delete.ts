import { backupFirstOfSite } from '#dashboard/features/backups/backup-first/backup-needed.ts'
import {
  domainOf,
  named,
  onSite,
  siteOf,
  whenOnline,
} from '#dashboard/features/backups/rule-parts.ts'
import { findTrashedSite } from '#dashboard/kernel/agents/read-trash.ts'
import {
  removeSite,
  restoreStatus,
  setSite,
  setTransientStatus,
} from '#dashboard/kernel/engine/record-changes.queries.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { nothingToDelete } from '#dashboard/kernel/engine/warnings.ts'
import { refuseMoving } from '#dashboard/kernel/targets/refuse-moving.ts'

export const siteDelete: OperationRules<'site.delete'> = {
  ...onSite,
  ...whenOnline,
  params: async (deps, target) => {
    await refuseMoving(deps, siteOf(target))
    return { domain: domainOf(target) }
  },
  backup_first: (deps, target, input) => backupFirstOfSite(deps, siteOf(target), input),
  during: setTransientStatus('deleting'),
  succeeded: ({ size }, { now, trash_ms }) => toTrash(size, { now, trash_ms }),
  failed: (reason) => restoreStatus(reason),
  cancelled: (reason) => restoreStatus(named(reason, 'Its deletion')),
  // It is already in the trash of its server, or missing.
  absent: async ({ agents, trash_ms }, server, { domain }, now) => {
    const kept = await findTrashedSite(agents, server, domain)
    if (!kept)
      return { report: { domain }, change: removeSite, warnings: [nothingToDelete(domain)] }
    const { size } = kept
    return { report: { domain, size }, change: toTrash(size, { now, trash_ms }) }
  },
  bulk: {
    states: ['active', 'suspended', 'failed', 'cancelled', 'missing'],
    managed_only: false,
    stores_origin: false,
  },
}

function toTrash(size: number | undefined, { now, trash_ms }: { now: string; trash_ms: number }) {
  return setSite({
    status: 'trashed',
    status_reason: '',
    former_status: null,
    trashed_at: now,
    purge_at: new Date(Date.parse(now) + trash_ms).toISOString(),
    trash_size: size ?? null,
  })
}
