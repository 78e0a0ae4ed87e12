import type { UseQueryResult } from '@tanstack/react-query'
import { ArrowLeft, ArrowRight, History } from 'lucide-react'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import type { OperationView } from '#shared/api/operations.ts'
import { List } from './list.tsx'
import type { OperationsSearch } from './search.ts'
import type { Selection } from './use-selection.ts'

interface PastProps {
  query: UseQueryResult<{ operations: OperationView[]; older: string | undefined }>
  search: OperationsSearch
  selection: Selection
}

/** Past operations, newest first, in pages. */
export function Past({ query: { data, error, refetch }, search, selection }: PastProps) {
  return (
    <Card title="History" flush>
      <QueryState of={{ data, error, refetch }} rows={6} flush />
      {data?.operations.length === 0 && (
        <Empty icon={<History />} title="Nothing here">
          No past operation matches the filters.
        </Empty>
      )}
      {data && data.operations.length > 0 && (
        <List label="History" operations={data.operations} selection={selection} />
      )}
      <Pages older={data?.older} search={search} />
    </Card>
  )
}

function Pages({ older, search }: { older: string | undefined; search: OperationsSearch }) {
  if (older === undefined && search.before === undefined) return null
  return (
    <nav aria-label="Pages" className="flex justify-between gap-2 border-t border-line p-3">
      {search.before === undefined ? (
        <span />
      ) : (
        <ButtonLink to="/operations" search={{ ...search, before: undefined }} icon={<ArrowLeft />}>
          Newest
        </ButtonLink>
      )}
      {older !== undefined && (
        <ButtonLink to="/operations" search={{ ...search, before: older }}>
          Older
          <ArrowRight />
        </ButtonLink>
      )}
    </nav>
  )
}
