import { z } from 'zod'
import type { Descriptions } from '#dashboard/http/describe.ts'
import { OnlyDryRun } from '#shared/api/body.ts'
import {
  BulkAsks,
  BulkItemsQuery,
  BulkItemView,
  BulkOperationsQuery,
  BulkOperationView,
  BulkTarget,
  CreateBulkOperation,
  SkippedTarget,
} from '#shared/api/bulk-operations.ts'
import { BULK_EVENTS } from '#shared/api/events.ts'
import { CancelOperation } from '#shared/api/operations.ts'

const One = z.strictObject({ bulk_operation: BulkOperationView })
const targets = {
  about: 'With `dry_run`: what it would be done to.',
  json: z.strictObject({
    targets: z.array(BulkTarget),
    skipped: z.array(SkippedTarget),
    must_accept: BulkAsks.optional().describe('With `with_asks`.'),
  }),
}

export const bulkApi: Descriptions = {
  listBulkOperations: {
    route: 'GET /api/bulk-operations',
    summary: 'List bulk operations',
    query: BulkOperationsQuery,
    answers: {
      200: {
        about: 'Newest first.',
        json: z.strictObject({ bulk_operations: z.array(BulkOperationView) }),
      },
    },
  },
  createBulkOperation: {
    route: 'POST /api/bulk-operations',
    summary: 'Do the same to many sites or servers',
    details:
      'Sites that were found and not created by Hosting Control are skipped, but for a scan; 409 with the code site_not_managed when no other is named.',
    body: CreateBulkOperation,
    answers: { 200: targets, 202: { about: 'Running.', json: One } },
    errors: ['conflict'],
  },
  getBulkOperation: {
    route: 'GET /api/bulk-operations/:bulk_id',
    summary: 'Show a bulk operation',
    answers: { 200: { about: 'The bulk operation.', json: One } },
  },
  listBulkItems: {
    route: 'GET /api/bulk-operations/:bulk_id/items',
    summary: 'List the sites or servers of a bulk operation',
    query: BulkItemsQuery,
    answers: {
      200: {
        about: 'In the order in which they are begun.',
        json: z.strictObject({ items: z.array(BulkItemView) }),
      },
    },
  },
  followBulkOperation: {
    route: 'GET /api/bulk-operations/:bulk_id/events',
    summary: 'Follow a bulk operation',
    details:
      'From the first event, or from the one after `Last-Event-ID`. Leaving cancels nothing.',
    answers: { 200: { about: 'What it does, as it goes.', events: BULK_EVENTS } },
  },
  cancelBulkOperation: {
    route: 'POST /api/bulk-operations/:bulk_id/cancel',
    summary: 'Begin no more of them, and end those that run',
    body: CancelOperation,
    answers: { 202: { about: 'Its end was asked for.', json: One } },
    errors: ['conflict'],
  },
  resumeBulkOperation: {
    route: 'POST /api/bulk-operations/:bulk_id/resume',
    summary: 'Go on with a bulk operation that paused',
    details: 'Takes no `dry_run`: the items that wait are its plan.',
    body: OnlyDryRun,
    answers: { 202: { about: 'Running again.', json: One } },
    errors: ['conflict'],
  },
  retryBulkOperation: {
    route: 'POST /api/bulk-operations/:bulk_id/retry',
    summary: 'Try what failed once more',
    details: 'Starts a new bulk operation. 409 when nothing failed or it is running.',
    body: OnlyDryRun,
    answers: { 200: targets, 202: { about: 'The new bulk operation.', json: One } },
    errors: ['conflict'],
  },
}
