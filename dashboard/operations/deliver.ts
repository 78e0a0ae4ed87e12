import { z } from 'zod'
import type { Database } from '#dashboard/db/client.ts'
import type { OperationRow, ServerRow } from '#dashboard/db/rows.ts'
import type { Agents } from '#dashboard/fleet/agents.ts'
import { failureBody, nobodyHeard } from '#dashboard/fleet/answer.ts'
import { inTrash } from '#dashboard/fleet/ask-trash.ts'
import { type Clock, timestamp } from '#dashboard/runtime/clock.ts'
import { getServer } from '#dashboard/servers/queries.ts'
import type { Sealer } from '#dashboard/trust/seal.ts'
import { CANCELLED, conflict, offline, ServiceError } from '#shared/errors.ts'
import { isTerminal, type StoredEvent } from '#shared/sse.ts'
import type { Bus } from './bus.ts'
import { passWishesOn, tellAgent } from './cancel/wish.ts'
import { successOf, type Times } from './effects.ts'
import { fail, succeed } from './finish.ts'
import type { Outcome, RunContext } from './job.ts'
import { tooLong } from './output.ts'
import { markRunning, markSent, markUnsent } from './progress/queries.ts'
import { Recorder } from './recorder.ts'
import { nothingToDelete } from './warnings.ts'
import { callOf, textOf } from './wire.ts'

interface Deps {
  db: Database
  bus: Bus
  clock: Clock
  agents: Agents
  /** Opens what an operation on record has sealed. */
  sealer: Pick<Sealer, 'open'>
  /** How long an operation waits for an agent that is away. */
  deadline_ms: number
  /** How long a deleted site stays in the trash. */
  trash_ms: number
  /** How long an agent may stream one operation, whatever it says. */
  longest_ms: number
  retry_min_ms: number
  retry_max_ms: number
}

/** One delivery. */
interface Delivery {
  context: RunContext
  recorder: Recorder
  /** The number of the last event that the agent sent; not all of them may be on record. */
  heard: number
}

/**
 * Hands an operation to the agent, or attaches to it there when the agent knows it already, and
 * stores what it says. The agent decides: the same id is never carried out twice.
 */
export async function deliver(
  deps: Deps,
  operation: OperationRow,
  context: RunContext,
): Promise<Outcome> {
  const recorder = await Recorder.open(deps, operation.id)
  const stored = recorder.lastOfAgent
  const delivery = { context, recorder, heard: stored }
  try {
    const outcome = await attach(deps, operation, delivery, stored)
    if (outcome || stored === 0) return outcome ?? lost()
    return (await attach(deps, operation, delivery, 0)) ?? lost()
  } catch (error) {
    if (isUnknownSite(operation, error)) return gone(deps, operation, await recorder.rest())
    await recorder.flush()
    throw error
  }
}

const lost = (): never => {
  throw offline('The connection to the agent was lost')
}

/**
 * One connection. Undefined when it ended with nothing new: an agent that lost its memory of the
 * operation may have begun anew and ended before the event that we have come to.
 */
async function attach(
  deps: Deps,
  operation: OperationRow,
  delivery: Delivery,
  after: number,
): Promise<Outcome | undefined> {
  const { context } = delivery
  const server = await getServer(deps.db, operation.server_id)
  const { id, cancel } = operation
  // An agent that is told first does not begin what is to end.
  if (cancel !== null) await tellAgent(deps, server, { id, cancel })
  const events = await open(deps, server, operation, { context, after })
  // The deadline counts from the last sign of work: to be accepted once more is none.
  if (operation.started_at === null) await begun(deps, operation)
  context.accept()
  const over = new AbortController()
  void passWishesOn(deps, server, operation, over.signal)
  try {
    return await read(deps, operation, events, delivery)
  } finally {
    over.abort()
  }
}

/** Before anything leaves it is on record that an agent may know of the operation. */
async function open(
  { db, clock, agents, sealer, longest_ms }: Deps,
  server: ServerRow,
  operation: OperationRow,
  { context, after }: { context: RunContext; after: number },
): Promise<AsyncGenerator<StoredEvent>> {
  const { id, sent_at } = operation
  const sending = async () => {
    if (sent_at === null && !(await markSent(db, id, timestamp(clock)))) throw conflict(CANCELLED)
  }
  const { signal, allowance } = context
  const limits = { signal, end: { ms: longest_ms, error: tooLong }, allowance }
  try {
    const call = { ...callOf(operation, sealer), operation_id: id, after, sending, ...limits }
    return await agents.stream(server, call)
  } catch (error) {
    if (sent_at === null && nobodyHeard(error)) await markUnsent(db, id)
    throw error
  }
}

async function read(
  deps: Deps,
  operation: OperationRow,
  events: AsyncGenerator<StoredEvent>,
  delivery: Delivery,
): Promise<Outcome | undefined> {
  const { context, recorder, heard: before } = delivery
  for await (const event of events) {
    context.allowance.received({ events: 1 })
    if (isTerminal(event)) return conclude(deps, operation, event, recorder)
    if (event.id <= delivery.heard) continue
    if (event.id > delivery.heard + 1) throw offline('The agent left out an event')
    delivery.heard = event.id
    await recorder.log(textOf(event))
    if (event.id === before + 1) await begun(deps, operation)
  }
  return delivery.heard > before ? lost() : undefined
}

async function conclude(
  deps: Deps,
  operation: OperationRow,
  { event, data }: StoredEvent,
  recorder: Recorder,
): Promise<Outcome> {
  const pending = await recorder.rest()
  if (event === 'error') {
    const failure = failureBody(data)
    if (isRemoval(operation) && failure.error === 'Not found') return gone(deps, operation, pending)
    return fail(deps, operation, failure, pending)
  }
  try {
    return await succeed(deps, operation, successOf(operation, data, timesOf(deps)), pending)
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    const message = 'The agent sent a result that is not what the command promises'
    return fail(deps, operation, { error: 'Internal error', message }, pending)
  }
}

/**
 * A site to remove that the agent does not know: in its trash already, which is what was asked for, or
 * not one of its own, and then the record goes alone, with a warning.
 */
async function gone(
  deps: Deps,
  operation: OperationRow,
  pending: readonly StoredEvent[] = [],
): Promise<Outcome> {
  const { domain, server_id } = operation
  const data = { status: 'ok', domain }
  if (operation.type === 'site.delete') {
    const kept = await inTrash(deps.agents, await getServer(deps.db, server_id), domain)
    const result = kept && { domain, size: kept.size }
    if (kept) return succeed(deps, operation, successOf(operation, result, timesOf(deps)), pending)
  }
  const warnings = [nothingToDelete(domain)]
  return succeed(deps, operation, { data, effect: { remove_site: true }, warnings }, pending)
}

function timesOf({ clock, trash_ms }: Deps): Times {
  const now = timestamp(clock)
  return { now, purge_at: new Date(Date.parse(now) + trash_ms).toISOString() }
}

function isRemoval({ type }: OperationRow): boolean {
  return type === 'site.delete' || type === 'site.purge'
}

function isUnknownSite(operation: OperationRow, error: unknown): boolean {
  return isRemoval(operation) && error instanceof ServiceError && error.code === 'not_found'
}

function begun({ db, clock, deadline_ms }: Deps, { id }: OperationRow) {
  return markRunning(db, id, {
    started_at: timestamp(clock),
    deadline_at: timestamp(clock, deadline_ms),
  })
}
