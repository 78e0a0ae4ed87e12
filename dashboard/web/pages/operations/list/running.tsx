import type { UseQueryResult } from '@tanstack/react-query'
import { ListChecks } from 'lucide-react'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import type { OperationView } from '#shared/operations/api/operations.ts'
import { List } from './list.tsx'
import type { Selection } from './use-selection.ts'

interface RunningProps {
  query: UseQueryResult<OperationView[]>
  selection: Selection
}

/** Running operations, live. */
export function Running({ query: { data, error, refetch }, selection }: RunningProps) {
  const count = data?.length ?? 0
  return (
    <Card
      title="Running"
      flush
      {...(count > 0 && {
        actions: <span className="text-muted tabular-nums">{formatNumber(count)}</span>,
      })}
    >
      <QueryState of={{ data, error, refetch }} rows={2} flush />
      {data && count === 0 && (
        <Empty icon={<ListChecks />} title="No running operations">
          Running operations appear here. They continue without this page.
        </Empty>
      )}
      {data && count > 0 && <List label="Running" operations={data} selection={selection} />}
    </Card>
  )
}
