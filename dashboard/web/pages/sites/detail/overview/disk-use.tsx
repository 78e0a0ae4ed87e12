import { formatBytes, formatNumber } from '#dashboard/web/ui/format.ts'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { DiskUse as Use } from '#shared/api/disk-use.ts'
import { diskLevelOf, usedBytes } from '#shared/disk-levels.ts'

const LEVELS = {
  over: { tone: 'bad', text: 'over its limit' },
  near: { tone: 'warn', text: 'near its limit' },
  unknown: { tone: 'warn', text: 'could not be measured' },
} as const

/** The disk use of the site, the limits of its tier, and the time of the measurement. */
export function DiskUse({ of }: { of: Use | null }) {
  if (!of) return <span className="text-muted">unknown: not measured</span>
  const level = diskLevelOf(of)
  return (
    <>
      <span className="flex flex-wrap items-center gap-2">
        {amount(usedBytes(of), formatBytes)} of {formatBytes(of.limit_bytes)}
        {level && <Badge tone={LEVELS[level].tone}>{LEVELS[level].text}</Badge>}
      </span>
      <p className="text-xs text-muted">
        Files {amount(of.bytes, formatBytes)}, database {amount(of.database_bytes, formatBytes)}
      </p>
      <p className="text-xs text-muted">
        {amount(of.files, formatNumber)} of {formatNumber(of.limit_files)} files and folders
      </p>
      <p className="text-xs text-muted">
        Measured <Time at={of.measured_at} />
      </p>
    </>
  )
}

const amount = (value: number | null | undefined, format: (value: number) => string) =>
  value === null || value === undefined ? 'unknown' : format(value)
