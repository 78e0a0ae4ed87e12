import { Elysia } from 'elysia'
import type { Deps } from '#dashboard/deps.ts'
import { lastSeen } from '#dashboard/http/path.ts'
import { streamResponse } from '#dashboard/http/stream.ts'
import { OperationsQuery } from '#shared/api/operations.ts'
import { notFound } from '#shared/errors.ts'
import { parse } from '#shared/parse.ts'
import { follow } from './follow.ts'
import { findView, listOperations } from './queries.ts'

export function operationRoutes(deps: Deps) {
  return new Elysia({ prefix: '/operations' })
    .get('', async ({ query }) => ({
      operations: await listOperations(deps.db, parse(OperationsQuery, query)),
    }))
    .get('/:operation_id', async ({ params }) => ({
      operation: await getView(deps, params.operation_id),
    }))
    .get('/:operation_id/events', async ({ params, request, server }) => {
      const { id } = await getView(deps, params.operation_id)
      const after = lastSeen(request)
      return streamResponse(request, {
        operation_id: id,
        ping_ms: deps.limits.ping_ms,
        server,
        events: (signal) => follow(deps, id, after, signal),
      })
    })
}

async function getView({ db }: Deps, id: string) {
  const operation = await findView(db, id)
  if (!operation) throw notFound('Operation')
  return operation
}
