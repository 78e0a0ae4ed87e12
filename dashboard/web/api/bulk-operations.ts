import { queryOptions } from '@tanstack/react-query'
import type { BulkItemView, BulkOperationView } from '#shared/operations/api/bulk-operations.ts'
import { call, type Sent } from './client.ts'

/** In addition to the feed, which reports changes immediately. */
const LIVE_MS = 5_000
const RECENT = 8
const PAGE = 500

export const isBulkActive = ({ finished_at }: Pick<BulkOperationView, 'finished_at'>): boolean =>
  finished_at === null

export const bulkQuery = (bulk_id: string) =>
  queryOptions({
    queryKey: ['bulk', bulk_id, 'state'],
    queryFn: async () =>
      (await call('GET /api/bulk-operations/:bulk_id', { params: { bulk_id } })).bulk_operation,
    refetchInterval: ({ state: { data } }) => (data && !isBulkActive(data) ? false : LIVE_MS),
  })

const listBulks = async (status?: BulkOperationView['status']) =>
  (await call('GET /api/bulk-operations', { query: { status, limit: RECENT } })).bulk_operations

/** Running ones and the last that have ended, newest first. */
export const recentBulksQuery = queryOptions({
  queryKey: ['bulk', 'recent'],
  queryFn: () => listBulks(),
  refetchInterval: ({ state: { data } }) => (data?.some(isBulkActive) ? LIVE_MS : 30_000),
})

/** The query for the bulk operations that wait until a user resumes or cancels them. */
export const pausedBulksQuery = queryOptions({
  queryKey: ['bulk', 'recent', 'paused'],
  queryFn: () => listBulks('paused'),
})

/** All of its items, in the order in which they start; later changes are in its events. */
export const bulkItemsQuery = (bulk_id: string) =>
  queryOptions({
    queryKey: ['bulk', bulk_id, 'items'],
    queryFn: () => allItems(bulk_id),
    refetchInterval: false,
  })

async function allItems(bulk_id: string): Promise<BulkItemView[]> {
  const items: BulkItemView[] = []
  for (;;) {
    const query = { limit: PAGE, after: items.at(-1)?.position }
    const sent = { params: { bulk_id }, query }
    const page = await call('GET /api/bulk-operations/:bulk_id/items', sent)
    items.push(...page.items)
    if (page.items.length < PAGE) return items
  }
}

export type NewBulk = Sent<'POST /api/bulk-operations'>['body']

/** The targets and the skipped sites; `with_asks`: also the changes that must be accepted. */
export async function planBulk(bulk: NewBulk) {
  const answer = await call('POST /api/bulk-operations', { body: { ...bulk, dry_run: true } })
  if (!('targets' in answer)) throw new Error('The dashboard answered without a plan')
  return answer
}

/** The id of the new bulk operation. */
export const startBulk = async (body: NewBulk) =>
  idOf(await call('POST /api/bulk-operations', { body }))

/** Retries the items that failed or were cancelled; returns the id of the new bulk operation. */
export const retryBulk = async (bulk_id: string) =>
  idOf(await call('POST /api/bulk-operations/:bulk_id/retry', { params: { bulk_id } }))

function idOf(answer: { bulk_operation: BulkOperationView } | object): string {
  if (!('bulk_operation' in answer)) throw new Error('The dashboard answered with a plan')
  return answer.bulk_operation.id
}

export const cancelBulk = (bulk_id: string, force = false) =>
  call('POST /api/bulk-operations/:bulk_id/cancel', { params: { bulk_id }, body: { force } })

export const resumeBulk = (bulk_id: string) =>
  call('POST /api/bulk-operations/:bulk_id/resume', { params: { bulk_id } })
