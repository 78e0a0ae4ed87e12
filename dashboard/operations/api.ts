import { z } from 'zod'
import { ASKS_AGENT, begun, type Descriptions, streamOf } from '#dashboard/http/describe.ts'
import { OnlyDryRun } from '#shared/api/body.ts'
import { eventsOfAny } from '#shared/api/events.ts'
import { CancelOperation, OperationsQuery, OperationView } from '#shared/api/operations.ts'
import { OPERATION_NAMES } from '#shared/operation-types/index.ts'
import { PlanAnswer } from '#shared/plan.ts'

const One = z.strictObject({ operation: OperationView })

export const operationApi: Descriptions = {
  listOperations: {
    route: 'GET /api/operations',
    summary: 'List operations',
    query: OperationsQuery,
    answers: {
      200: {
        about: 'Newest first.',
        json: z.strictObject({ operations: z.array(OperationView) }),
      },
    },
  },
  getOperation: {
    route: 'GET /api/operations/:operation_id',
    summary: 'Show an operation',
    answers: { 200: { about: 'The operation.', json: One } },
  },
  followOperation: {
    route: 'GET /api/operations/:operation_id/events',
    summary: 'Follow an operation',
    details:
      'From the first event, or from the one after `Last-Event-ID`. Leaving cancels nothing.',
    answers: { 200: streamOf('What it does, as it goes.', eventsOfAny(OPERATION_NAMES)) },
  },
  cancelOperation: {
    route: 'POST /api/operations/:operation_id/cancel',
    summary: 'End an operation and undo what it made',
    details: 'Answers immediately; its events report how it ends. 409 when it has ended already.',
    body: CancelOperation,
    answers: { 202: { about: 'Its end was asked for.', json: One } },
    errors: ['conflict'],
  },
  retryOperation: {
    route: 'POST /api/operations/:operation_id/retry',
    summary: 'Try an operation that failed once more',
    details: 'Starts a new operation. 409 for one that succeeded or is running.',
    body: OnlyDryRun,
    answers: {
      200: { about: 'With `dry_run`: what would be done.', json: PlanAnswer },
      202: begun('The new operation.', One),
    },
    errors: ASKS_AGENT,
  },
}
