import { Elysia } from 'elysia'
import { callerOf } from '#dashboard/auth/caller.ts'
import { callerStream } from '#dashboard/auth/session-stream.ts'
import type { Deps } from '#dashboard/deps.ts'
import { onlyDryRun, readJson } from '#dashboard/http/body.ts'
import { lastSeen } from '#dashboard/http/path.ts'
import { followSource } from '#dashboard/operations/follow.ts'
import { BulkItemsQuery, BulkOperationsQuery } from '#shared/api/bulk-operations.ts'
import { CancelOperation } from '#shared/api/operations.ts'
import { invalid } from '#shared/errors.ts'
import { parse } from '#shared/parse.ts'
import { cancelBulk, resumeBulk } from './change-bulk.ts'
import { createBulk, retryBulk } from './create-bulk.ts'
import {
  findBulk,
  getBulkView,
  lastBulkEventId,
  listBulkEvents,
  listBulkItems,
  listBulks,
} from './queries.ts'

export function bulkRoutes(deps: Deps) {
  const { db } = deps
  return new Elysia({ prefix: '/bulk-operations' })
    .get('', async ({ query }) => ({
      bulk_operations: await listBulks(db, parse(BulkOperationsQuery, query)),
    }))
    .post('', async ({ request, status }) => {
      const input = await readJson(request)
      const origin = deps.public_url ?? new URL(request.url).origin
      const actor = callerOf(request).user.id
      const answer = await createBulk(deps, input, { actor, origin })
      return 'targets' in answer ? status(200, answer) : status(202, answer)
    })
    .get('/:bulk_id', async ({ params }) => ({
      bulk_operation: await getBulkView(db, params.bulk_id),
    }))
    .get('/:bulk_id/items', async ({ params, query }) => {
      const { id } = await getBulkView(db, params.bulk_id)
      return { items: await listBulkItems(db, id, parse(BulkItemsQuery, query)) }
    })
    .get('/:bulk_id/events', async ({ params, request, server }) => {
      const { id } = await getBulkView(db, params.bulk_id)
      const after = lastSeen(request)
      const events = (signal: AbortSignal) => followSource(deps, sourceOf(deps, id), after, signal)
      return callerStream(deps, request, { server, events })
    })
    .post('/:bulk_id/cancel', async ({ params, request, status }) => {
      const input = await readJson(request)
      const { id } = await getBulkView(db, params.bulk_id)
      const { force } = parse(CancelOperation, input)
      const actor = callerOf(request).user.id
      return status(202, { bulk_operation: await cancelBulk(deps, id, { force, actor }) })
    })
    .post('/:bulk_id/resume', async ({ params, request, status }) => {
      await refuseDryRun(request)
      const { id } = await getBulkView(db, params.bulk_id)
      return status(202, { bulk_operation: await resumeBulk(deps, id, callerOf(request).user.id) })
    })
    .post('/:bulk_id/retry', async ({ params, request, status }) => {
      const { dry_run } = await onlyDryRun(request)
      const actor = callerOf(request).user.id
      const answer = await retryBulk(deps, params.bulk_id, { actor, dry_run })
      return 'targets' in answer ? status(200, answer) : status(202, answer)
    })
}

/** What it would go on with is listed as its items. */
async function refuseDryRun(request: Request): Promise<void> {
  const { dry_run } = await onlyDryRun(request)
  if (dry_run) throw invalid({ dry_run: ['Must not be true: the items that wait are its plan'] })
}

function sourceOf({ db }: Deps, id: string) {
  return {
    key: id,
    list: (after: number, limit: number) => listBulkEvents(db, id, after, limit),
    isOver: async (last: number) => {
      const bulk = await findBulk(db, id)
      return !bulk || (bulk.finished_at !== null && (await lastBulkEventId(db, id)) <= last)
    },
  }
}
