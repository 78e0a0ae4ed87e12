import { getSettings } from '#dashboard/features/settings/queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import type {
  BackupCoverage,
  BackupCoverageQuery,
  CoveredSite,
} from '#shared/backups/api/backup-coverage.ts'
import { coverageCounts, listCoverage } from './coverage.queries.ts'
import { listGoneSites } from './deleted-sites.queries.ts'
import { findKit } from './kit.queries.ts'
import { showKits } from './kit.ts'
import { nextBackupTime } from './site-schedule.ts'
import { showTargets } from './targets.ts'

export async function showCoverage(
  { db, clock }: { db: Database; clock: Clock },
  query: BackupCoverageQuery,
  visible: Visible | undefined,
): Promise<BackupCoverage> {
  const { backup_every: every, proof_every, backup_window: window } = await getSettings(db)
  const now = clock.now()
  const possible_at = (await findKit(db, { confirmed: true }))?.confirmed_at ?? null
  const [rows, [counted], states] = await listCoverage(
    db,
    { ...query, visible },
    { every, proof_every, now },
  )
  const sites = rows.map((row): CoveredSite => {
    const { id, domain, server_id, server, state, last_at, proven_at, ...rest } = row
    const { bytes, target, last_error } = rest
    const next_at = nextBackupTime(row, { window, now, possible_at })
    return {
      id,
      domain,
      server_id,
      server,
      state,
      last_at,
      proven_at,
      next_at,
      bytes,
      target,
      last_error,
    }
  })
  const { page, per_page } = query
  return {
    kit: (await showKits({ db })).in_use,
    // The targets and the deleted sites belong to the whole fleet.
    targets: visible ? [] : await showTargets({ db, clock }),
    counts: coverageCounts(states),
    sites,
    total: counted?.total ?? 0,
    page,
    per_page,
    gone: visible ? [] : await listGoneSites(db),
  }
}
