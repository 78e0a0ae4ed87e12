import { z } from 'zod'
import { callerStream, type StreamDeps } from '#dashboard/kernel/auth/session-stream.ts'
import { followEvents } from '#dashboard/kernel/engine/follow-events.ts'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { originOf } from '#dashboard/kernel/http/connection.ts'
import { lastEventIdOf } from '#dashboard/kernel/http/path.ts'
import { Reply } from '#dashboard/kernel/http/reply.ts'
import { type PathCall, routesWith } from '#dashboard/kernel/http/route.ts'
import { visibleTo } from '#dashboard/kernel/http/visible.queries.ts'
import { OnlyDryRun } from '#shared/kernel/api/body.ts'
import { OPERATION_TYPES } from '#shared/operation-types.ts'
import {
  BulkAsks,
  BulkItemsQuery,
  BulkItemView,
  BulkOperationsQuery,
  BulkOperationView,
  BulkTarget,
  CreateBulkOperation,
  SkippedTarget,
} from '#shared/operations/api/bulk-operations.ts'
import { BULK_EVENTS } from '#shared/operations/api/events.ts'
import { CancelOperation } from '#shared/operations/api/operations.ts'
import { type ChangeBulkDeps, cancelBulk, resumeBulk } from './change-bulk.ts'
import { type BulkAnswer, type BulkDeps, createBulk, retryBulk } from './create-bulk.ts'
import {
  findBulk,
  getBulkView,
  lastBulkEventId,
  listBulkEvents,
  listBulkItems,
  listBulks,
} from './queries.ts'

type Deps = BulkDeps & ChangeBulkDeps & StreamDeps & { public_url: string | undefined }

const route = routesWith<Deps>()

const One = z.strictObject({ bulk_operation: BulkOperationView })
const targets = {
  about: 'With `dry_run`: the selected targets.',
  json: z.strictObject({
    targets: z.array(BulkTarget),
    skipped: z.array(SkippedTarget),
    must_accept: BulkAsks.optional().describe('With `with_asks`.'),
  }),
}

const loadBulk = ({ deps, params }: PathCall<Deps, 'bulk_id'>) =>
  getBulkView(deps.db, params.bulk_id)

export const bulkRoutes = {
  listBulkOperations: route({
    at: 'GET /api/bulk-operations',
    summary: 'List bulk operations',
    details: 'For a caller who sees a part of the fleet, those of which every target is in it.',
    right: 'read',
    where: 'anywhere',
    query: BulkOperationsQuery,
    answers: shows('Newest first.', { bulk_operations: z.array(BulkOperationView) }),
    run: async ({ deps, query, visible }) => ({
      bulk_operations: await listBulks(deps.db, query, visible),
    }),
  }),
  createBulkOperation: route({
    at: 'POST /api/bulk-operations',
    summary: 'Start an operation on many sites or servers',
    details:
      'Discovered sites are skipped, except by a scan; 409 with the code site_not_managed if no other site is named. A type whose single call needs a token of the scope `admin` needs it here too.',
    right: 'operate',
    where: 'anywhere',
    body: CreateBulkOperation,
    answers: { 200: targets, 202: { about: 'Running.', json: One } },
    errors: ['conflict'],
    run: async ({ deps, body, caller, request, requireRight }) => {
      const { right } = OPERATION_TYPES[body.type]
      await requireRight(right)
      const visible = await visibleTo(deps.db, caller, right)
      const from = { actor: caller.user.id, origin: originOf(deps, request), visible }
      return answerOf(await createBulk(deps, body, from))
    },
  }),
  getBulkOperation: route({
    at: 'GET /api/bulk-operations/:bulk_id',
    summary: 'Show a bulk operation',
    right: 'read',
    loads: loadBulk,
    answers: { 200: { about: 'The bulk operation.', json: One } },
    run: ({ loaded: bulk_operation }) => ({ bulk_operation }),
  }),
  listBulkItems: route({
    at: 'GET /api/bulk-operations/:bulk_id/items',
    summary: 'List the sites or servers of a bulk operation',
    right: 'read',
    loads: loadBulk,
    query: BulkItemsQuery,
    answers: shows('In the order of their start.', { items: z.array(BulkItemView) }),
    run: async ({ deps, loaded, query }) => ({
      items: await listBulkItems(deps.db, loaded.id, query),
    }),
  }),
  followBulkOperation: route({
    at: 'GET /api/bulk-operations/:bulk_id/events',
    summary: 'Follow a bulk operation',
    details:
      'From the first event, or from the one after `Last-Event-ID`. Leaving cancels nothing.',
    right: 'read',
    loads: loadBulk,
    answers: { 200: { about: 'Its events, live.', events: BULK_EVENTS } },
    run: (call) => {
      const after = lastEventIdOf(call.request)
      const source = sourceOf(call.deps, call.loaded.id)
      const events = (signal: AbortSignal) => followEvents(call.deps, source, after, signal)
      return callerStream(call, { events })
    },
  }),
  cancelBulkOperation: route({
    at: 'POST /api/bulk-operations/:bulk_id/cancel',
    summary: 'Cancel a bulk operation',
    right: 'operate',
    loads: loadBulk,
    body: CancelOperation,
    answers: { 202: { about: 'The cancellation was requested.', json: One } },
    errors: ['conflict'],
    run: async ({ deps, loaded, body: { force }, caller }) => ({
      bulk_operation: await cancelBulk(deps, loaded.id, { force, actor: caller.user.id }),
    }),
  }),
  resumeBulkOperation: route({
    at: 'POST /api/bulk-operations/:bulk_id/resume',
    summary: 'Resume a paused bulk operation',
    details: 'Has no `dry_run`: the waiting items are its plan.',
    right: 'operate',
    loads: loadBulk,
    answers: { 202: { about: 'Running again.', json: One } },
    errors: ['conflict'],
    run: async ({ deps, loaded, caller, requireRight }) => {
      await requireRight(OPERATION_TYPES[loaded.type].right)
      return { bulk_operation: await resumeBulk(deps, loaded.id, caller.user.id) }
    },
  }),
  retryBulkOperation: route({
    at: 'POST /api/bulk-operations/:bulk_id/retry',
    summary: 'Retry the failed items',
    details: 'Starts a new bulk operation. 409 when nothing failed or it is running.',
    right: 'operate',
    loads: loadBulk,
    body: OnlyDryRun,
    answers: { 200: targets, 202: { about: 'The new bulk operation.', json: One } },
    errors: ['conflict'],
    run: async ({ deps, loaded, body: { dry_run }, caller, requireRight }) => {
      await requireRight(OPERATION_TYPES[loaded.type].right)
      return answerOf(await retryBulk(deps, loaded, { actor: caller.user.id, dry_run }))
    },
  }),
}

const answerOf = (answer: BulkAnswer) => ('targets' in answer ? answer : new Reply(202, answer))

function sourceOf({ db }: Pick<Deps, 'db'>, id: string) {
  return {
    key: id,
    list: (after: number, limit: number) => listBulkEvents(db, id, after, limit),
    isOver: async (last: number) => {
      const bulk = await findBulk(db, id)
      return !bulk || (bulk.finished_at !== null && (await lastBulkEventId(db, id)) <= last)
    },
  }
}
