import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { z } from 'zod'
import { bulkItemsQuery, isBulkActive } from '#dashboard/web/api/bulk-operations.ts'
import { useEvents } from '#dashboard/web/api/use-events.ts'
import { mistakesIn } from '#dashboard/web/ui/address.ts'
import { AddressMistakes } from '#dashboard/web/ui/address-mistakes.tsx'
import { FilterSelect } from '#dashboard/web/ui/filter-select.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { someOf } from '#shared/kernel/api/query.ts'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import { BULK_ITEM_STATUSES } from '#shared/kernel/values.ts'
import type { BulkItemView, BulkOperationView } from '#shared/operations/api/bulk-operations.ts'
import { Items } from './items.tsx'

const ItemsQuery = z.object({ status: someOf(BULK_ITEM_STATUSES).optional() })
const STATUSES = BULK_ITEM_STATUSES.map((value) => ({ value, name: value }))

/** Each item with its result, live from one stream. */
export function BulkItems({ bulk }: { bulk: BulkOperationView }) {
  const active = isBulkActive(bulk)
  const raw = useSearch({ from: '/inside/operations/bulk/$bulk_id' })
  const { status } = raw
  const mistakes = mistakesIn(raw, ItemsQuery)
  const navigate = useNavigate({ from: '/operations/bulk/$bulk_id' })
  const { data, error, refetch } = useQuery(bulkItemsQuery(bulk.id))
  const { events, connection } = useEvents(`/api/bulk-operations/${bulk.id}/events`, !active)
  const items = useMemo(() => data && liveItems(data, events), [data, events])
  const shown = useMemo(
    () => items?.filter((item) => status?.split(',').includes(item.status) ?? true),
    [items, status],
  )
  const choose = (value: string | undefined) => void navigate({ search: { status: value } })
  return (
    <Card
      title="Results"
      flush
      actions={
        <FilterSelect name="Any result" value={status} options={STATUSES} onChange={choose} />
      }
    >
      {active && connection === 'disconnected' && (
        <div className="p-4">
          <Notice kind="warn" title="The dashboard cannot be reached">
            The bulk operation continues. This page reconnects automatically.
          </Notice>
        </div>
      )}
      <QueryState of={{ data, error, refetch }} rows={6} flush />
      {mistakes.length > 0 && (
        <div className="p-4">
          <AddressMistakes of={mistakes} />
        </div>
      )}
      {shown?.length === 0 && mistakes.length === 0 && (
        <p className="p-4 text-muted">No item is {status?.replaceAll(',', ' or ')}.</p>
      )}
      {shown && shown.length > 0 && <Items items={shown} />}
    </Card>
  )
}

type Status = BulkItemView['status']

/** The order of states; a final state does not change. */
const RANKS: Record<Status, number> = {
  waiting: 0,
  running: 1,
  success: 2,
  failed: 2,
  cancelled: 2,
  skipped: 2,
}

/** The items with the newer states of the events, which may repeat known states. */
export function liveItems(
  items: readonly BulkItemView[],
  events: readonly StoredEvent[],
): readonly BulkItemView[] {
  const news = new Map<number, BulkItemView>()
  for (const { data } of events) {
    const item = items[Number(data.position) - 1]
    if (!item || !isStatus(data.status)) continue
    const now = news.get(item.position) ?? item
    if (RANKS[data.status] > RANKS[now.status])
      news.set(item.position, changed(now, data.status, data))
  }
  return news.size === 0 ? items : items.map((item) => news.get(item.position) ?? item)
}

const isStatus = (value: unknown): value is Status =>
  typeof value === 'string' && Object.hasOwn(RANKS, value)

function changed(item: BulkItemView, status: Status, data: StoredEvent['data']): BulkItemView {
  const operation_id = typeof data.operation_id === 'string' ? data.operation_id : null
  const message = String(data.message).slice(`${item.domain}: `.length)
  return {
    ...item,
    status,
    operation_id: operation_id ?? item.operation_id,
    error: status === 'failed' ? { error: message, message } : null,
  }
}
