import { useQuery } from '@tanstack/react-query'
import { activityQuery } from '#dashboard/web/api/activity.ts'
import { activityName, actorOf } from '#dashboard/web/labels/activity.ts'
import { operationTitle } from '#dashboard/web/labels/operation.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { OperationStatus } from '#dashboard/web/ui/operation-status.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { OperationLink } from '#dashboard/web/ui/record-links.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'

const MOST = 8

/** The last entries of the activity log that are about the server. */
export function RecentActivity({ server_id }: { server_id: number }) {
  const { data, error, refetch } = useQuery(activityQuery({ server_id: String(server_id) }))
  const all = (
    <ButtonLink to="/activity" search={{ server_id: String(server_id) }}>
      View all
    </ButtonLink>
  )
  return (
    <Card title="Activity" flush actions={all}>
      <QueryState of={{ data, error, refetch }} rows={5} flush />
      {data?.activities.length === 0 && <p className="p-4 text-muted">No activity yet</p>}
      <ul className="divide-y divide-line">
        {data?.activities
          .slice(0, MOST)
          .map(({ id, type, domain, actor, token, status, created_at }) => (
            <li key={id} className="flex items-center gap-3 px-4 py-2.5">
              <span className="min-w-0 flex-1">
                <span className="block font-medium">{activityName(type)}</span>
                <span className="block truncate text-xs text-muted">
                  {unicodeOf(domain)} · {actorOf({ actor, token })}
                </span>
              </span>
              <Status value={status} />
              <span className="w-24 text-right text-xs text-muted">
                <Time at={created_at} />
              </span>
            </li>
          ))}
      </ul>
    </Card>
  )
}

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
