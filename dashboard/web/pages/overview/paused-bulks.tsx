import { CirclePause } from 'lucide-react'
import { bulkTitle } from '#dashboard/web/labels/operation.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { BulkLink } from '#dashboard/web/ui/record-links.tsx'
import type { BulkOperationView } from '#shared/api/bulk-operations.ts'
import { Group, Line } from './group.tsx'

/** Bulk operations that wait for a person to resume or cancel them. */
export function PausedBulks({ bulks }: { bulks: readonly BulkOperationView[] }) {
  const title = formatCount(bulks.length, 'paused bulk operation')
  return (
    <Group icon={CirclePause} severity="warning" title={title}>
      {bulks.map((bulk) => (
        <Line
          key={bulk.id}
          name={
            <BulkLink id={bulk.id} className="font-medium hover:underline">
              {bulkTitle(bulk)}
            </BulkLink>
          }
          reason={bulk.reason}
          action={
            <ButtonLink
              kind="quiet"
              to="/operations/bulk/$bulk_id"
              params={{ bulk_id: bulk.id }}
              aria-label={`Resume or cancel: ${bulkTitle(bulk)}`}
            >
              Resume or cancel
            </ButtonLink>
          }
        />
      ))}
    </Group>
  )
}
