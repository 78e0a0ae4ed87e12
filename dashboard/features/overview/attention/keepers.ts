import { reportsOf } from '#dashboard/features/backups/keeper/reports.ts'
import { keeperView, LATE_MS } from '#dashboard/features/backups/keeper/view.ts'
import { listKept } from '#dashboard/features/backups/queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { KeeperReport } from '#shared/backups/keeper-report.ts'
import { isAhead, isDue } from '#shared/kernel/age.ts'
import type { Attention, AttentionItem } from '#shared/overview/api/attention.ts'
import { advised, counted, groupOf, item } from './item.ts'

type Target = Awaited<ReturnType<typeof listKept>>[number]

/** Targets whose keeper does not run, or found damaged data or another problem. */
export async function keeperTroubles(db: Database, now: Date): Promise<Attention[]> {
  const targets = await listKept(db)
  const reportOf = await reportsOf(db)
  return groupOf(
    'backup_keeper',
    targets.flatMap((target) => troubleOf(target, reportOf(target), now) ?? []),
  )
}

const LOOK = 'look at its log beside the storage'

function troubleOf(
  { name, place, has_backups, created_at }: Target,
  report: KeeperReport | null,
  now: Date,
): AttentionItem | undefined {
  if (!has_backups || place.kind === 'local') return undefined
  if (!report) {
    const isNew = !isDue(created_at, LATE_MS, now)
    const reason = `No report of the keeper was found: ${LOOK}, or remove its key from the target`
    return isNew ? undefined : item({ severity: 'info', name, reason })
  }
  const { at, is_late, troubled, problems } = keeperView(report, now)
  const [first] = problems
  if (first?.code === 'damaged') {
    const found = `Damaged data in the backups of ${first.repository} (${first.message})`
    const reason = advised(found, 'replace the disk of the storage, then repair the repository')
    return item({ severity: 'critical', name, reason, at })
  }
  if (isAhead(at, now)) {
    const found = `The last report of the keeper is of ${at.slice(0, 10)}, which is in the future`
    const reason = advised(found, 'correct the clock of its machine, then start it again')
    return item({ severity: 'warning', name, reason })
  }
  if (is_late) {
    const reason = `The keeper has not run since ${at.slice(0, 10)}, and old backups stay: ${LOOK}`
    return item({ severity: 'warning', name, reason, at })
  }
  if (!first) return undefined
  const reason = advised(
    `The keeper has problems with ${counted(troubled, 'site')} (${first.repository}: ${first.message})`,
    LOOK,
  )
  return item({ severity: 'warning', name, reason, at })
}
