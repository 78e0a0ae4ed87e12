import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { OperationRow, ServerRow } from '#dashboard/kernel/db/rows.ts'
import { CancelAnswer } from '#shared/kernel/agent-requests.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { type CancelMode, findCancelRequest } from './queries.ts'

interface Deps extends Pick<CommonDeps, 'db' | 'bus' | 'clock' | 'retry_min_ms' | 'retry_max_ms'> {
  agents: Agents
}

export const cancelTopic = (operation_id: string) => `cancel ${operation_id}`

/** Sends a cancel request, which an agent may refuse. Throws offline without an answer. */
export async function sendCancelRequest(
  { agents }: Pick<Deps, 'agents'>,
  server: ServerRow,
  { id, cancel }: { id: string; cancel: CancelMode },
): Promise<void> {
  try {
    const body = { force: cancel === 'forced' }
    await agents.post(server, `/operations/${id}/cancel`, body, CancelAnswer)
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'offline') return
    throw error
  }
}

/** Sends the agent each cancel request that is recorded after `operation` was read. */
export async function forwardCancelRequests(
  deps: Deps,
  server: ServerRow,
  operation: OperationRow,
  signal: AbortSignal,
): Promise<void> {
  const { db, bus, clock, retry_min_ms, retry_max_ms } = deps
  let sent = operation.cancel
  for (let pause = retry_min_ms; !signal.aborted; ) {
    using news = bus.next(cancelTopic(operation.id))
    try {
      const cancel = await findCancelRequest(db, operation.id)
      if (cancel && cancel !== sent)
        await sendCancelRequest(deps, server, { id: operation.id, cancel })
      sent = cancel
      pause = retry_min_ms
      await Promise.race([news.promise, aborted(signal)])
    } catch {
      await clock.sleep(pause, signal)
      pause = Math.min(pause * 2, retry_max_ms)
    }
  }
}

/** Resolves when the cancellation was requested, or when the signal aborts. */
export async function cancelRequested(
  { db, bus }: Pick<Deps, 'db' | 'bus'>,
  operation_id: string,
  signal: AbortSignal,
): Promise<void> {
  using news = bus.next(cancelTopic(operation_id))
  if ((await findCancelRequest(db, operation_id)) === null)
    await Promise.race([news.promise, aborted(signal)])
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal.aborted) resolve()
  else signal.addEventListener('abort', () => resolve(), { once: true })
  return promise
}
