import type { UseQueryResult } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Pager } from '#dashboard/web/ui/pager.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import type { OperationView } from '#shared/operations/api/operations.ts'
import { List } from './list.tsx'
import type { Selection } from './use-selection.ts'

interface PastProps {
  query: UseQueryResult<{ operations: OperationView[]; older: string | undefined }>
  /** The parameter of the address. */
  before: string | undefined
  selection: Selection
}

/** Past operations, newest first, in pages. */
export function Past({ query: { data, error, refetch }, before, selection }: PastProps) {
  return (
    <Card title="History" flush>
      <QueryState of={{ data, error, refetch }} rows={6} flush />
      {data?.operations.length === 0 && (
        <Empty icon={<History />} title="No past operations">
          No past operation matches the filters.
        </Empty>
      )}
      {data && data.operations.length > 0 && (
        <List label="History" operations={data.operations} selection={selection} />
      )}
      <Pager before={before} older={data?.older} />
    </Card>
  )
}
