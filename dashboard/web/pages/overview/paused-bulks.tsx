import { useQuery } from '@tanstack/react-query'
import { pausedBulksQuery } from '../../api/bulk-operations.ts'
import { bulkTitle } from '../../api/operation-words.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

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
