import { useQuery } from '@tanstack/react-query'
import { pausedBulksQuery } from '#dashboard/web/api/bulk-operations.ts'
import { bulkTitle } from '#dashboard/web/labels/operation.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'

/** What is done to many and waits for a decision of a person. */
export function PausedBulks() {
  const { data = [] } = useQuery(pausedBulksQuery)
  return data.map((bulk) => (
    <Notice
      key={bulk.id}
      kind="warn"
      title={`Paused: ${bulkTitle(bulk)}`}
      actions={
        <ButtonLink to="/operations/bulk/$bulk_id" params={{ bulk_id: bulk.id }}>
          Open bulk operation
        </ButtonLink>
      }
    >
      {bulk.reason}
    </Notice>
  ))
}
