import { useQuery } from '@tanstack/react-query'
import { activityQuery } from '#dashboard/web/api/activity.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { activityName, actorOf } from '#dashboard/web/labels/activity.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { OperationStatus } from '#dashboard/web/ui/operation-status.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { OperationLink } from '#dashboard/web/ui/record-links.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { FleetActivity } from '#shared/kernel/api/activity.ts'

/** Who did what to the site, newest first, with the operations that it led to. */
export function ActivityTab({ site }: { site: Site }) {
  const of = { domain: site.domain, server_id: String(site.server_id) }
  const { data, error, refetch } = useQuery(activityQuery(of))
  const entries = mergeEntries(data?.activities ?? [], site.operations)
  return (
    <Card
      title="Activity"
      flush
      actions={
        <ButtonLink to="/activity" search={of} kind="quiet">
          View all
        </ButtonLink>
      }
    >
      <QueryState of={{ data, error, refetch }} flush />
      <ul className="divide-y divide-line" aria-label="Activity of the site">
        {entries.map((entry) => (
          <Row key={entry.key} entry={entry} />
        ))}
      </ul>
      {data && entries.length === 0 && <p className="p-4 text-muted">No activity yet</p>}
    </Card>
  )
}

function Row({
  entry: { type, actor, address, status, operation, created_at, detail },
}: {
  entry: Entry
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <span className="min-w-0 flex-1 basis-48 break-words">
        {operation === undefined ? (
          activityName(type)
        ) : (
          <OperationLink id={operation.id} className="font-medium hover:underline">
            {activityName(type)}
          </OperationLink>
        )}{' '}
        <span className="text-xs text-muted">
          {address === null ? actor : `${actor} from ${address}`}
        </span>
        {detail !== null && <span className="block text-xs break-all text-muted">{detail}</span>}
      </span>
      {operation ? <OperationStatus of={operation} /> : <Status value={status} />}
      <span className="text-xs text-muted max-sm:basis-full sm:w-24 sm:text-right">
        <Time at={created_at} />
      </span>
    </li>
  )
}

type Operation = Pick<
  Site['operations'][number],
  'id' | 'type' | 'status' | 'warnings' | 'next_at' | 'created_at'
>

interface Entry {
  key: string
  type: string
  actor: string
  /** The IP address of the client; null if it is unknown or the dashboard itself acted. */
  address: string | null
  status: string
  created_at: string
  /** The description of the change; null when the type of the entry already says it. */
  detail: string | null
  /** While it is among the latest operations of the site. */
  operation: Operation | undefined
}

/**
 * One list of what was done and of the operations of a site, newest first. An operation without an
 * entry of its own, such as one that a schedule started, is listed too.
 */
export function mergeEntries(
  activities: readonly FleetActivity[],
  operations: readonly Operation[],
): Entry[] {
  const byId = new Map(operations.map((operation) => [operation.id, operation]))
  const done = activities.map(
    ({ id, type, actor, token, via, address, status, created_at, detail, operation_id }) => ({
      key: String(id),
      type,
      actor: actorOf({ actor, token, via }),
      address,
      status,
      created_at,
      detail,
      operation: operation_id === null ? undefined : byId.get(operation_id),
    }),
  )
  const listed = new Set(done.map(({ operation }) => operation?.id))
  const others = operations
    .filter(({ id }) => !listed.has(id))
    .map((operation) => ({
      key: operation.id,
      type: operation.type,
      actor: 'System',
      status: operation.status,
      address: null,
      created_at: operation.created_at,
      detail: null,
      operation,
    }))
  return [...done, ...others].sort((one, other) => other.created_at.localeCompare(one.created_at))
}
