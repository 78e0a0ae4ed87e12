import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { operationTitle } from '../../../api/operation-words.ts'
import { activeOperationsQuery } from '../../../api/operations.ts'
import { Elapsed } from '../../../ui/elapsed.tsx'
import { Status } from '../../../ui/status.tsx'

/** What is being done there now. */
export function UnderWay({ server_id }: { server_id: number }) {
  const { data = [] } = useQuery(activeOperationsQuery({ server_id }))
  if (data.length === 0) return null
  return (
    <ul
      aria-label="Under way"
      className="divide-y divide-line rounded-xl border border-line bg-surface"
    >
      {data.map((operation) => (
        <li key={operation.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
          <Status value={operation.status} />
          <Link
            to="/operations/$operation_id"
            params={{ operation_id: operation.id }}
            className="font-medium hover:underline"
          >
            {operationTitle(operation)}
          </Link>
          <span className="min-w-0 flex-1 truncate text-xs text-muted">
            {operation.error?.message ?? operation.last_line}
          </span>
          <span className="text-xs text-muted">
            <Elapsed since={operation.created_at} until={null} />
          </span>
        </li>
      ))}
    </ul>
  )
}
