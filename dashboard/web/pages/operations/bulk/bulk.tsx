import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Play, RotateCw, X } from 'lucide-react'
import {
  bulkItemsQuery,
  bulkQuery,
  cancelBulk,
  isBulkActive,
  resumeBulk,
  retryBulk,
} from '#dashboard/web/api/bulk-operations.ts'
import { isForbidden, isNotFound } from '#dashboard/web/api/client.ts'
import { bulkParams, bulkTitle } from '#dashboard/web/labels/operation.ts'
import { ActionButton } from '#dashboard/web/ui/action-button.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Elapsed } from '#dashboard/web/ui/elapsed.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { NoAccess, NotFound } from '#dashboard/web/ui/not-found.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { ListLink, useOpenBulk } from '#dashboard/web/ui/record-links.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'
import { useAction } from '#dashboard/web/ui/use-call.ts'
import type { Right } from '#shared/kernel/rights.ts'
import { OPERATION_TYPES } from '#shared/operation-types.ts'
import type { BulkOperationView } from '#shared/operations/api/bulk-operations.ts'
import { BulkItems } from './bulk-items.tsx'
import { BulkProgress } from './bulk-progress.tsx'

/** A bulk operation: progress and the result of each item. */
export function BulkPage() {
  const { bulk_id } = useParams({ from: '/inside/operations/bulk/$bulk_id' })
  const { data, error, refetch } = useQuery(bulkQuery(bulk_id))
  if (isNotFound(error)) return <NotFound />
  if (isForbidden(error)) return <NoAccess to="bulk operation" />
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

/** Resume, cancel or retry the whole. */
function Actions({ bulk }: { bulk: BulkOperationView }) {
  const { id, type, status, counts } = bulk
  const may = useMayOnAll(bulk)
  const mayStart = may(OPERATION_TYPES[type].right)
  if (!isBulkActive(bulk))
    return mayStart && counts.failed + counts.cancelled > 0 && <Retry bulk={bulk} />
  return (
    <div className="flex flex-wrap gap-2">
      {status === 'paused' && mayStart && (
        <ActionButton
          kind="primary"
          icon={<Play />}
          call={() => resumeBulk(id)}
          done="The bulk operation continues"
          changes={[stateKey(id)]}
        >
          Resume
        </ActionButton>
      )}
      {may('operate') && <Cancel bulk={bulk} />}
    </div>
  )
}

/** Returns whether the user has a right on each of the items. */
function useMayOnAll({ id }: BulkOperationView): (right: Right) => boolean {
  const may = useMay()
  // The page shows them.
  const { data: items = [] } = useQuery(bulkItemsQuery(id))
  return (right) =>
    may(right, 'fleet') || (items.length > 0 && items.every((item) => may(right, item)))
}

/** After a first cancel request, running operations can be ended by force. */
function Cancel({ bulk: { id, status, counts } }: { bulk: BulkOperationView }) {
  const { dialog, show } = useDialog()
  const isEnding = status === 'cancelled'
  const cancel = useAction(() => cancelBulk(id, isEnding), {
    done: 'Cancelling the bulk operation',
    changes: [stateKey(id)],
  })
  const running = formatNumber(counts.running)
  return (
    <>
      <Button icon={<X />} onClick={show}>
        {isEnding ? 'End by force' : 'Cancel'}
      </Button>
      <Confirm
        {...dialog}
        title={isEnding ? 'End running operations by force?' : 'Cancel bulk operation?'}
        action={isEnding ? 'End by force' : 'Cancel bulk operation'}
        keep="Keep running"
        onConfirm={() => cancel.runAsync()}
      >
        {isEnding
          ? `The programs of the ${running} running operations are ended at once, and their changes are undone.`
          : `The ${formatNumber(counts.waiting)} waiting operations do not start, and the changes of the ${running} running ones are undone. Completed operations stay as they are.`}
      </Confirm>
    </>
  )
}

function Retry({ bulk: { id, counts } }: { bulk: BulkOperationView }) {
  const openBulk = useOpenBulk()
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => retryBulk(id),
    onSuccess: (bulk_id) => {
      void client.invalidateQueries({ queryKey: ['bulk'] })
      void openBulk(bulk_id)
    },
    onError: toastError,
  })
  return (
    <Button kind="primary" icon={<RotateCw />} busy={isPending} onClick={() => mutate()}>
      Retry {formatNumber(counts.failed + counts.cancelled)} unsuccessful operations
    </Button>
  )
}

const stateKey = (bulk_id: string) => bulkQuery(bulk_id).queryKey
