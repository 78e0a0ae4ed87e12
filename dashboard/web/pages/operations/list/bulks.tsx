import { useQuery } from '@tanstack/react-query'
import { isBulkActive, recentBulksQuery } from '#dashboard/web/api/bulk-operations.ts'
import { bulkTitle } from '#dashboard/web/labels/operation.ts'
import { BulkProgress } from '#dashboard/web/pages/operations/bulk/bulk-progress.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { BulkLink } from '#dashboard/web/ui/record-links.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { BulkOperationView } from '#shared/operations/api/bulk-operations.ts'

/** Bulk operations: the running ones and the last ones. Nothing if there are none. */
export function Bulks() {
  const { data = [] } = useQuery(recentBulksQuery)
  if (data.length === 0) return null
  return (
    <Card title="Bulk operations" flush>
      <ul aria-label="Bulk operations" className="divide-y divide-line">
        {data.map((bulk) => (
          <Bulk key={bulk.id} bulk={bulk} />
        ))}
      </ul>
    </Card>
  )
}

function Bulk({ bulk }: { bulk: BulkOperationView }) {
  const { id, status, created_at, reason } = bulk
  return (
    <li className="grid items-center gap-x-4 gap-y-1.5 px-4 py-2.5 md:grid-cols-[6.5rem_minmax(12rem,1fr)_minmax(0,1.2fr)]">
      <span>
        <Status value={isBulkActive(bulk) && status === 'cancelled' ? 'ending' : status} />
      </span>
      <div className="min-w-0">
        <BulkLink id={id} className="font-medium hover:underline">
          {bulkTitle(bulk)}
        </BulkLink>
        <p className="truncate text-xs text-muted">
          <Time at={created_at} />
          {reason && ` · ${reason}`}
        </p>
      </div>
      <BulkProgress counts={bulk.counts} />
    </li>
  )
}
