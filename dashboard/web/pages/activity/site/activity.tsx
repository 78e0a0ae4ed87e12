import { useQuery } from '@tanstack/react-query'
import { activityQuery } from '#dashboard/web/api/activity.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { activityName } from '#dashboard/web/labels/activity.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { OperationStatus } from '#dashboard/web/ui/operation-status.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { OperationLink } from '#dashboard/web/ui/record-links.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { type Entry, mergeEntries } from './merge-entries.ts'

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
