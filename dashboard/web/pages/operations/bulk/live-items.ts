import type { StoredEvent } from '#shared/kernel/sse.ts'
import type { BulkItemView } from '#shared/operations/api/bulk-operations.ts'

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
