import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { sourceOf } from '#dashboard/kernel/runtime/call-source.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import { offline } from '#shared/kernel/errors.ts'
import type { OperationType } from '#shared/operation-types.ts'
import { errorOf, type OperationHandle } from './operation-handle.ts'
import { findActive, insertOperation, type NewOperation } from './queries.ts'
import { type BackupFirst, type RulesTable, rulesOf } from './rules.ts'
import type { Worker } from './worker.ts'

export interface EnqueueDeps
  extends Pick<CommonDeps, 'db' | 'clock' | 'random' | 'deadline_ms' | 'response_timeout_ms'> {
  worker: Worker
  types: RulesTable
}

interface OperationRequest {
  type: OperationType
  server: Pick<ServerRow, 'id' | 'hostname'>
  site?: Pick<SiteRow, 'id' | 'domain'>
  params: Record<string, unknown>
  /** The id of the user who starts the operation; null for the dashboard itself. */
  actor: number | null
  /** Whether the operation waits for an offline agent, and does not fail when that does not take it. */
  wait_for_agent: boolean
  retry_of?: string
  backup_first?: BackupFirst
}

export function newOperation(
  { clock, random, deadline_ms }: Pick<EnqueueDeps, 'clock' | 'random' | 'deadline_ms'>,
  { type, server, site, params, actor, wait_for_agent, ...more }: OperationRequest,
): NewOperation {
  return {
    id: randomText(random, 16),
    type,
    server_id: server.id,
    domain: site?.domain ?? server.hostname,
    params,
    actor,
    created_at: timestamp(clock),
    deadline_at: timestamp(clock, wait_for_agent ? deadline_ms : 0),
    retry_of: more.retry_of ?? null,
    backup_first: more.backup_first ?? null,
    source: sourceOf(actor),
  }
}

/** Stores the operation and hands it to the worker. Throws 409 when the site has another one. */
export async function enqueue(
  deps: EnqueueDeps,
  request: OperationRequest,
): Promise<OperationHandle> {
  const operation = newOperation(deps, request)
  const site_id = request.site?.id ?? null
  const { during } = rulesOf(deps, request.type)
  const row = await insertOperation(deps.db, operation, site_id, during)
  return deps.worker.start(row)
}

/** Enqueues the operation, or joins a running one of its type, as the constraint decides. */
export async function enqueueOrJoin(
  deps: EnqueueDeps,
  request: OperationRequest,
): Promise<OperationHandle> {
  const { type, server, site } = request
  try {
    return await enqueue(deps, request)
  } catch (error) {
    if (!isServiceError(error, 'conflict')) throw error
    const holder = { type, server_id: server.id, site_id: site?.id ?? null }
    const active = await findActive(deps.db, holder)
    if (!active) return enqueue(deps, request)
    if (active.type !== type) throw error
    return deps.worker.start(active)
  }
}

/** Returns the data of the `complete` event. Throws that of `error`, or 503 if it is late. */
export async function awaitOutcome(
  { clock, response_timeout_ms }: EnqueueDeps,
  handle: OperationHandle,
) {
  const timeout = new AbortController()
  const late = clock.sleep(response_timeout_ms, timeout.signal).then(() => undefined)
  try {
    const refused = handle.accepted.then(() => late)
    const result = await Promise.race([handle.finished, late, refused])
    if (!result) throw offline(`No outcome yet; operation ${handle.operation_id} continues`)
    if (result.status === 'failed') throw errorOf(result.error)
    return result.data
  } finally {
    timeout.abort()
  }
}
