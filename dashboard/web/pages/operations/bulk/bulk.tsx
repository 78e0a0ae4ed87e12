import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { bulkQuery, isBulkActive } from '#dashboard/web/api/bulk-operations.ts'
import { isNotFound } from '#dashboard/web/api/client.ts'
import { bulkParams, bulkTitle } from '#dashboard/web/labels/operation.ts'
import { Elapsed } from '#dashboard/web/ui/elapsed.tsx'
import { NotFound } from '#dashboard/web/ui/not-found.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { ListLink } from '#dashboard/web/ui/record-links.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { BulkOperationView } from '#shared/operations/api/bulk-operations.ts'
import { Actions } from './actions.tsx'
import { BulkItems } from './bulk-items.tsx'
import { BulkProgress } from './bulk-progress.tsx'

/** A bulk operation: progress and the result of each item. */
export function BulkPage() {
  const { bulk_id } = useParams({ from: '/inside/operations/bulk/$bulk_id' })
  const { data, error, refetch } = useQuery(bulkQuery(bulk_id))
  if (isNotFound(error)) return <NotFound />
  return (
    <Page
      title={data ? bulkTitle(data) : 'Bulk operation'}
      trail={<ListLink to="/operations" />}
      actions={data && <Actions bulk={data} />}
    >
      <QueryState of={{ data, error, refetch }} rows={6} />
      {data && <Whole bulk={data} />}
      {data && <BulkItems key={bulk_id} bulk={data} />}
    </Page>
  )
}

function Whole({ bulk }: { bulk: BulkOperationView }) {
  const { status, reason, counts, created_at, finished_at, parallel } = bulk
  const isEnding = status === 'cancelled' && isBulkActive(bulk)
  return (
    <Card>
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-muted">
          <Status value={isEnding ? 'ending' : status} {...(isEnding && { tone: 'busy' })} />
          <span>
            {finished_at === null ? 'for ' : 'took '}
            <Elapsed since={created_at} until={finished_at} />
          </span>
          <span>
            started <Time at={created_at} />
          </span>
          <span>{parallel} at once</span>
          {bulkParams(bulk) && <span>{bulkParams(bulk)}</span>}
        </div>
        {status === 'paused' && (
          <Notice kind="warn" title="Paused after failures in a row">
            {reason}. Check the failed items, then resume, or cancel the rest.
          </Notice>
        )}
        <BulkProgress counts={counts} />
      </div>
    </Card>
  )
}
