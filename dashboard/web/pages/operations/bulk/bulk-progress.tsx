import { formatNumber } from '#dashboard/web/ui/format.ts'
import { ProgressBar } from '#dashboard/web/ui/progress-bar.tsx'
import type { BulkOperationView } from '#shared/operations/api/bulk-operations.ts'

/** Its progress and its results. */
export function BulkProgress({ counts }: Pick<BulkOperationView, 'counts'>) {
  const { total, success, failed, cancelled, skipped, running } = counts
  const parts = [
    [success, 'done'],
    [running, 'running'],
    [failed, 'failed'],
    [cancelled, 'cancelled'],
    [counts.waiting, 'waiting'],
    [skipped, 'skipped'],
  ] as const
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex h-1.5">
        <ProgressBar
          label="Progress"
          total={total}
          parts={{ good: success, bad: failed, plain: cancelled + skipped }}
        />
      </div>
      <p className="text-xs text-muted tabular-nums">
        {parts
          .filter(([count]) => count > 0)
          .map(([count, name]) => `${formatNumber(count)} ${name}`)
          .join(' · ')}
      </p>
    </div>
  )
}
