import { Elysia } from 'elysia'
import { callerOf } from '#dashboard/auth/caller.ts'
import { requireRight } from '#dashboard/auth/rights.ts'
import { callerStream } from '#dashboard/auth/session-stream.ts'
import type { Deps } from '#dashboard/deps.ts'
import { onlyDryRun, readJson } from '#dashboard/http/body.ts'
import { lastSeen } from '#dashboard/http/path.ts'
import { OPERATION_HEADER } from '#shared/agent.ts'
import { CancelOperation, OperationsQuery } from '#shared/api/operations.ts'
import { OPERATION_TYPES } from '#shared/operation-types/index.ts'
import { parse } from '#shared/parse.ts'
import { cancelOperation } from './cancel/cancel-operation.ts'
import { follow } from './follow.ts'
import { getView, listOperations } from './queries.ts'
import { planRetry, retryOperation } from './retry-operation.ts'

export function operationRoutes(deps: Deps) {
  const { db } = deps
  return new Elysia({ prefix: '/operations' })
    .get('', async ({ query }) => ({
      operations: await listOperations(db, parse(OperationsQuery, query)),
    }))
    .get('/:operation_id', async ({ params }) => ({
      operation: await getView(db, params.operation_id),
    }))
    .get('/:operation_id/events', async ({ params, request, server }) => {
      const { id } = await getView(db, params.operation_id)
      const after = lastSeen(request)
      return callerStream(deps, request, {
        operation_id: id,
        server,
        events: (signal) => follow(deps, id, after, signal),
      })
    })
    .post('/:operation_id/cancel', async ({ params, request, status }) => {
      const input = await readJson(request)
      const { id } = await getView(db, params.operation_id)
      const mode = parse(CancelOperation, input).force ? 'forced' : 'graceful'
      const actor = callerOf(request).user.id
      return status(202, { operation: await cancelOperation(deps, id, { mode, actor }) })
    })
    .post('/:operation_id/retry', async ({ params, request, set, status }) => {
      const { dry_run } = await onlyDryRun(request)
      const { type } = await getView(db, params.operation_id)
      requireRight(callerOf(request), OPERATION_TYPES[type].right)
      if (dry_run) return planRetry(deps, params.operation_id)
      const actor = callerOf(request).user.id
      const operation = await retryOperation(deps, params.operation_id, actor)
      set.headers[OPERATION_HEADER] = operation.id
      return status(202, { operation })
    })
}
