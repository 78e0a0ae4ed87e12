import { z } from 'zod'
import { callerStream } from '#dashboard/kernel/auth/session-stream.ts'
import { cancelOperation } from '#dashboard/kernel/engine/cancel/cancel-operation.ts'
import { ASKS_AGENT, continues, shows, streamOf } from '#dashboard/kernel/http/answers.ts'
import { lastEventIdOf } from '#dashboard/kernel/http/path.ts'
import { Reply } from '#dashboard/kernel/http/reply.ts'
import { type PathCall, routesWith } from '#dashboard/kernel/http/route.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import { PlanAnswer } from '#shared/kernel/plan.ts'
import { OPERATION_NAMES, retryRightOf } from '#shared/operation-types.ts'
import { eventsOfAny, Step } from '#shared/operations/api/events.ts'
import {
  CancelOperation,
  FollowQuery,
  OperationsQuery,
  OperationView,
  RetryOperation,
} from '#shared/operations/api/operations.ts'
import { followOperation } from './follow-events.ts'
import type { StreamDeps } from './operation-answers.ts'
import { namesOfRetry, planRetry, retryOperation } from './retry-operation.ts'
import { getView, listOperations } from './views.queries.ts'

const route = routesWith<StreamDeps>()

const One = z.strictObject({ operation: OperationView })

const loadOperation = ({ deps, params }: PathCall<StreamDeps, 'operation_id'>) =>
  getView(deps.db, params.operation_id)

export const operationRoutes = {
  listOperations: route({
    at: 'GET /api/operations',
    summary: 'List operations',
    right: 'read',
    where: 'anywhere',
    query: OperationsQuery,
    answers: shows('Newest first.', { operations: z.array(OperationView) }),
    run: async ({ deps, query, visible }) => ({
      operations: await listOperations(deps.db, query, visible),
    }),
  }),
  getOperation: route({
    at: 'GET /api/operations/:operation_id',
    summary: 'Show an operation',
    right: 'read',
    loads: loadOperation,
    answers: { 200: { about: 'The operation.', json: One } },
    run: ({ loaded: operation }) => ({ operation }),
  }),
  followOperation: route({
    at: 'GET /api/operations/:operation_id/events',
    summary: 'Follow an operation',
    details:
      'From the first event, or from the one after `Last-Event-ID`. Leaving cancels nothing. A `step` event has the id of the event before it; resuming repeats the steps since that event.',
    right: 'read',
    loads: loadOperation,
    query: FollowQuery,
    answers: {
      200: streamOf('Its events, live.', { ...eventsOfAny(OPERATION_NAMES), step: Step }),
    },
    run: (call) => {
      const { id } = call.loaded
      const how = { after: lastEventIdOf(call.request), steps: call.query.steps }
      const events = (signal: AbortSignal) => followOperation(call.deps, id, how, signal)
      return callerStream(call, { operation_id: id, events })
    },
  }),
  cancelOperation: route({
    at: 'POST /api/operations/:operation_id/cancel',
    summary: 'Cancel an operation and undo its steps',
    details: 'Answers immediately; its events report how it ends. 409 when it has ended already.',
    right: 'operate',
    loads: loadOperation,
    body: CancelOperation,
    answers: { 202: { about: 'The cancellation was requested.', json: One } },
    errors: ['conflict'],
    run: async ({ deps, loaded, body, caller }) => {
      const how = { mode: body.force ? 'forced' : 'graceful', actor: caller.user.id } as const
      return { operation: await cancelOperation(deps, loaded.id, how) }
    },
  }),
  retryOperation: route({
    at: 'POST /api/operations/:operation_id/retry',
    summary: 'Retry a failed operation',
    details:
      'Starts a new operation. 409 for one that succeeded or is running. A move needs the right on the other server, too, and a copy, a refresh, a comparison and a push on what they read. One that failed with `backup_failed` is done without a backup if `without_backup` is true.',
    right: 'operate',
    loads: loadOperation,
    body: RetryOperation,
    answers: {
      200: { about: 'With `dry_run`: what would be done.', json: PlanAnswer },
      202: continues('The new operation.', One),
    },
    errors: ASKS_AGENT,
    run: async ({ deps, loaded: { id, type }, body, caller, requireRight }) => {
      const right = retryRightOf(type)
      await requireRight(right)
      const also = await namesOfRetry(deps, id)
      if (also) await requireRight(right, also)
      if (body.dry_run) return planRetry(deps, id, body)
      const { without_backup } = body
      const operation = await retryOperation(deps, id, { without_backup, actor: caller.user.id })
      return new Reply(202, { operation }, { headers: { [OPERATION_HEADER]: operation.id } })
    },
  }),
}
