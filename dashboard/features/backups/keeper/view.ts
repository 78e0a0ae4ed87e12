import type { KeeperView } from '#shared/backups/api/backups.ts'
import type { KeeperReport } from '#shared/backups/keeper-report.ts'
import { isDue } from '#shared/kernel/age.ts'

/** The age at which the report of a keeper, which runs once a day, is late. */
export const LATE_MS = 3 * 24 * 3600_000

export function keeperView(
  { version: _, names: __, ...report }: KeeperReport,
  now: Date,
): KeeperView {
  return { ...report, is_late: isDue(report.at, LATE_MS, now) }
}
