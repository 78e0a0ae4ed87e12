import { operationTitle } from '#dashboard/web/labels/operation.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { OperationStatus } from '#dashboard/web/ui/operation-status.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { OperationLink } from '#dashboard/web/ui/record-links.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { FleetServerDetail } from '#shared/api/fleet.ts'

/** The last operations of the server. */
export function RecentOperations({ server }: { server: FleetServerDetail }) {
  const { operations } = server
  return (
    <Card
      title="Operations"
      flush
      actions={
        <ButtonLink to="/operations" search={{ server_id: String(server.id) }}>
          View all
        </ButtonLink>
      }
    >
      {operations.length === 0 && <p className="p-4 text-muted">No operations yet</p>}
      <ul className="divide-y divide-line">
        {operations.map((operation) => (
          <li
            key={operation.id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5"
          >
            <OperationLink
              id={operation.id}
              className="min-w-0 flex-1 basis-48 truncate font-medium hover:underline"
            >
              {operationTitle(operation)}
            </OperationLink>
            <OperationStatus of={operation} />
            <span className="w-24 text-right text-xs text-muted">
              <Time at={operation.created_at} />
            </span>
            {operation.error && (
              <p className="w-full truncate text-xs text-bad" title={operation.error.message}>
                {operation.error.message ?? operation.error.error}
              </p>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
