import { expect, test } from 'bun:test'
import { liveItems } from '#dashboard/web/pages/operations/bulk/bulk-items.tsx'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import type { BulkItemView } from '#shared/operations/api/bulk-operations.ts'

const item = (position: number, more: Partial<BulkItemView> = {}): BulkItemView => ({
  position,
  server_id: 1,
  site_id: position,
  domain: `${position}.example`,
  status: 'waiting',
  operation_id: null,
  error: null,
  ...more,
})

const eventsOf = (...data: StoredEvent['data'][]): StoredEvent[] =>
  data.map((each, at) => ({ id: at + 1, event: 'log', data: each }))

test('each item has the state of its last event', () => {
  const events = eventsOf(
    { message: 'cache.purge of 3 sites begins', status: 'running' },
    { message: '1.example begins', position: 1, status: 'running', operation_id: 'a' },
    { message: '2.example begins', position: 2, status: 'running', operation_id: 'b' },
    { message: '1.example: done', position: 1, status: 'success', operation_id: 'a' },
    { message: '2.example: The disk is full', position: 2, status: 'failed', operation_id: 'b' },
  )

  expect(liveItems([item(1), item(2), item(3)], events)).toEqual([
    item(1, { status: 'success', operation_id: 'a' }),
    item(2, {
      status: 'failed',
      operation_id: 'b',
      error: { error: 'The disk is full', message: 'The disk is full' },
    }),
    item(3),
  ])
})

test('ended items stay ended when older events arrive', () => {
  const items = [item(1, { status: 'success', operation_id: 'a' })]
  const events = eventsOf({ message: '1.example begins', position: 1, status: 'running' })

  expect(liveItems(items, events)).toBe(items)
})
