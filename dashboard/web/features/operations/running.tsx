import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { activeOperationsQuery } from '#dashboard/web/api/operations.ts'
import { operationTitle } from '#dashboard/web/labels/operation.ts'
import { Elapsed } from '#dashboard/web/ui/elapsed.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { OperationLink } from '#dashboard/web/ui/record-links.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import type { OperationView } from '#shared/operations/api/operations.ts'

const MAX_SHOWN = 6

/** Running operations, of one server or of all. */
export function RunningOperations({ server_id }: { server_id?: number }) {
  const { data = [] } = useQuery(
    activeOperationsQuery(server_id === undefined ? {} : { server_id: String(server_id) }),
  )
  if (data.length === 0) return null
  return (
    <ul
      aria-label="Running"
      className="divide-y divide-line rounded-xl border border-line bg-surface"
    >
      {data.slice(0, MAX_SHOWN).map((operation) => (
        <Active key={operation.id} operation={operation} />
      ))}
      {data.length > MAX_SHOWN && (
        <li className="px-4 py-2.5 text-xs">
          <Link to="/operations" className="text-muted hover:text-text hover:underline">
            and {formatNumber(data.length - MAX_SHOWN)} more running
          </Link>
        </li>
      )}
    </ul>
  )
}

function Active({ operation }: { operation: OperationView }) {
  const { id, status, error, last_line, next_at, created_at } = operation
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
      <Status value={next_at ? 'waiting' : status} {...(next_at && { tone: 'warn' as const })} />
      <OperationLink id={id} className="min-w-0 truncate font-medium hover:underline">
        {operationTitle(operation)}
      </OperationLink>
      <span className="min-w-0 flex-1 basis-40 truncate text-xs text-muted">
        {error?.message ?? last_line}
      </span>
      <span className="text-xs text-muted">
        <Elapsed since={created_at} until={null} />
      </span>
    </li>
  )
}
