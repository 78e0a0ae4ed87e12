import { isDue } from '#shared/age.ts'
import type { KeeperView } from '#shared/api/backups.ts'
import type { KeeperReport } from '#shared/keeper-report.ts'

/** A keeper runs once a day. */
export const LATE_MS = 3 * 24 * 3600_000

export function keeperView(
  { version: _, names: __, ...report }: KeeperReport,
  now: Date,
): KeeperView {
  return { ...report, is_late: isDue(report.at, LATE_MS, now) }
}
