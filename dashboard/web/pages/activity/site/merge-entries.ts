import type { Site } from '#dashboard/web/api/sites.ts'
import { actorOf } from '#dashboard/web/labels/activity.ts'
import type { FleetActivity } from '#shared/kernel/api/activity.ts'

type Operation = Pick<
  Site['operations'][number],
  'id' | 'type' | 'status' | 'warnings' | 'next_at' | 'created_at'
>

export interface Entry {
  key: string
  type: string
  actor: string
  /** The IP address of the client; null if it is unknown or the dashboard itself acted. */
  address: string | null
  status: string
  created_at: string
  /** What was changed, if its type does not say it. */
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
    ({ id, type, actor, token, address, status, created_at, detail, operation_id }) => ({
      ...{
        key: String(id),
        type,
        actor: actorOf({ actor, token }),
        address,
        status,
        created_at,
        detail,
      },
      operation: operation_id === null ? undefined : byId.get(operation_id),
    }),
  )
  const listed = new Set(done.map(({ operation }) => operation?.id))
  const others = operations
    .filter(({ id }) => !listed.has(id))
    .map((operation) => ({
      ...{ key: operation.id, type: operation.type, actor: 'System', status: operation.status },
      ...{ address: null, created_at: operation.created_at, detail: null, operation },
    }))
  return [...done, ...others].sort((one, other) => other.created_at.localeCompare(one.created_at))
}
