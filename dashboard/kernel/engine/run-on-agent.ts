import { z } from 'zod'
import { failureBody, lacksPassword, mayBeTaken } from '#dashboard/kernel/agents/agent-errors.ts'
import { timeLimitExceeded } from '#dashboard/kernel/agents/output-limits.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { OperationRow, ServerRow } from '#dashboard/kernel/db/rows.ts'
import { getServer } from '#dashboard/kernel/db/targets.ts'
import {
  forwardCancelRequests,
  sendCancelRequest,
} from '#dashboard/kernel/engine/cancel/cancel-request.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import { cancelledError, errorNameOf, offline, ServiceError } from '#shared/kernel/errors.ts'
import { isTerminal, type StoredEvent } from '#shared/kernel/sse.ts'
import { OPERATION_TYPES, type OperationType } from '#shared/operation-types.ts'
import { EventRecorder } from './event-recorder.ts'
import type { AttemptContext, Outcome } from './operation-handle.ts'
import { completeDataOf, parseResult } from './parse-result.ts'
import { markRunning, markSent, markUnsent } from './progress.queries.ts'
import { type OperationRules, type RulesDeps, type RulesTable, rulesOf } from './rules.ts'
import { storeFailure, storeSuccess } from './store-outcome.ts'

interface Deps
  extends RulesDeps,
    Pick<
      CommonDeps,
      'bus' | 'clock' | 'deadline_ms' | 'longest_ms' | 'retry_min_ms' | 'retry_max_ms'
    > {
  types: RulesTable
  /**
   * Records that the agent gets the password of the repository of an operation, which it does not
   * have. Returns false when the operation has none.
   */
  allowPassword?(operation: OperationRow): Promise<boolean>
}

interface AgentAttempt {
  context: AttemptContext
  recorder: EventRecorder
  /** The number of the last event of the agent; not all of them may be recorded. */
  received: number
}

/** Sends an operation, or attaches to it, and stores its events. The same id never runs twice. */
export async function runOnAgent(
  deps: Deps,
  operation: OperationRow,
  context: AttemptContext,
): Promise<Outcome> {
  const recorder = await EventRecorder.open(deps, operation.id)
  const stored = recorder.lastOfAgent
  const attempt = { context, recorder, received: stored }
  try {
    const outcome = await readOutcome(deps, operation, attempt, stored)
    if (outcome || stored === 0) return outcome ?? connectionLost()
    return (await readOutcome(deps, operation, attempt, 0)) ?? connectionLost()
  } catch (error) {
    const { absent } = rulesOf(deps, operation.type)
    if (absent && isServiceError(error, 'not_found'))
      return storeAbsent(deps, operation, absent, await recorder.takeUnstored())
    await recorder.flush()
    throw error
  }
}

const connectionLost = (): never => {
  throw offline('The connection to the agent was lost')
}

/**
 * Reads the events of one connection. Returns undefined when it ended without a new event: an agent
 * that lost its memory of the operation may have restarted and ended before our last event.
 */
async function readOutcome(
  deps: Deps,
  operation: OperationRow,
  attempt: AgentAttempt,
  after: number,
): Promise<Outcome | undefined> {
  const { context } = attempt
  const server = await getServer(deps.db, operation.server_id)
  const { id, cancel } = operation
  attempt.recorder.reconnected()
  // An agent that receives this first does not start a cancelled operation.
  if (cancel !== null) await sendCancelRequest(deps, server, { id, cancel })
  const events = await request(deps, server, operation, { context, after })
  // The deadline counts from the last progress: a repeated acceptance is none.
  if (operation.started_at === null) await markStarted(deps, operation)
  context.accept()
  const over = new AbortController()
  void forwardCancelRequests(deps, server, operation, over.signal)
  try {
    return await storeEventsOf(deps, operation, events, attempt)
  } finally {
    over.abort()
  }
}

interface RequestOptions {
  context: AttemptContext
  after: number
  with_password?: boolean
}

/**
 * Requests the operation, which is recorded before: an agent may know it. A request is repeated
 * once, with the password of the repository, for an agent that does not have it.
 */
async function request(
  deps: Deps,
  server: ServerRow,
  operation: OperationRow,
  { context, after, with_password = false }: RequestOptions,
): Promise<AsyncGenerator<StoredEvent>> {
  const { db, clock, agents, deadline_ms, longest_ms } = deps
  const { id, sent_at } = operation
  let marked = false
  const sending = async () => {
    if (sent_at !== null) return
    const times = { sent_at: timestamp(clock), deadline_at: timestamp(clock, deadline_ms) }
    if (!(await markSent(db, id, times))) throw cancelledError()
    marked = true
  }
  const { signal, allowance } = context
  const limits = { signal, end: { ms: longest_ms, error: timeLimitExceeded }, allowance }
  try {
    const call = {
      ...requestOf(deps, operation, with_password),
      operation_id: id,
      after,
      sending,
      ...limits,
    }
    return await agents.stream(server, call)
  } catch (error) {
    // Only what this attempt has marked: an earlier one may have been taken.
    if (marked && !mayBeTaken(error)) await markUnsent(db, operation)
    if (with_password || !lacksPassword(error)) throw error
    if (!(await deps.allowPassword?.(operation))) throw error
    return request(deps, server, operation, { context, after, with_password: true })
  }
}

async function storeEventsOf(
  deps: Deps,
  operation: OperationRow,
  events: AsyncGenerator<StoredEvent>,
  attempt: AgentAttempt,
): Promise<Outcome | undefined> {
  const { context, recorder, received: before } = attempt
  for await (const event of events) {
    context.allowance.received({ events: 1 })
    if (await recorder.step(event, attempt.received)) continue
    if (isTerminal(event)) return storeResult(deps, operation, event, recorder)
    if (event.id <= attempt.received) continue
    if (event.id > attempt.received + 1) throw offline('The agent skipped an event')
    attempt.received = event.id
    await recorder.log(lineOf(event))
    if (event.id === before + 1) await markStarted(deps, operation)
  }
  return attempt.received > before ? connectionLost() : undefined
}

async function storeResult(
  deps: Deps,
  operation: OperationRow,
  { event, data }: StoredEvent,
  recorder: EventRecorder,
): Promise<Outcome> {
  const pending = await recorder.takeUnstored()
  const rules = rulesOf(deps, operation.type)
  if (event === 'error') {
    const failure = failureBody(data)
    if (rules.absent && errorNameOf(failure) === 'not_found')
      return storeAbsent(deps, operation, rules.absent, pending)
    return storeFailure(deps, operation, failure, pending)
  }
  try {
    const context = { rules, now: timestamp(deps.clock), trash_ms: deps.trash_ms }
    const success = parseResult(operation, data, context)
    const more = (await rules.afterwards?.(deps, operation)) ?? []
    const warnings = [...(success.warnings ?? []), ...more]
    return await storeSuccess(deps, operation, { ...success, warnings }, pending)
  } catch (error) {
    if (contradictsRecords(error)) return storeFailure(deps, operation, error.body, pending)
    if (!(error instanceof z.ZodError)) throw error
    const message = 'The agent sent a result that is not what the command promises'
    return storeFailure(deps, operation, { error: 'Internal error', message }, pending)
  }
}

/** Whether the answer contradicts what the dashboard knows: nothing of it is recorded. */
const contradictsRecords = (error: unknown): error is ServiceError =>
  error instanceof ServiceError &&
  (error.refusal === 'result_mismatch' || error.refusal === 'foreign_address')

/** Stores the result of an agent that does not know the site, which is the goal of some types. */
async function storeAbsent(
  deps: Deps,
  operation: OperationRow,
  absent: NonNullable<OperationRules<OperationType>['absent']>,
  pending: readonly StoredEvent[],
): Promise<Outcome> {
  const server = await getServer(deps.db, operation.server_id)
  const {
    report,
    change,
    warnings = [],
  } = await absent(deps, server, operation, timestamp(deps.clock))
  const success = { data: completeDataOf(operation.type, report), change, warnings }
  return storeSuccess(deps, operation, success, pending)
}

function markStarted({ db, clock, deadline_ms }: Deps, { id }: OperationRow) {
  return markRunning(db, id, {
    started_at: timestamp(clock),
    deadline_at: timestamp(clock, deadline_ms),
  })
}

function requestOf(
  deps: Pick<RulesDeps, 'sealer'> & { types: RulesTable },
  { type, params }: OperationRow,
  with_password = false,
): { path: string; body: unknown } {
  const body = rulesOf(deps, type).sent(params, deps.sealer, with_password)
  const command = OPERATION_TYPES[type].command?.name
  // Scans have their own route.
  return command === 'wp.scan'
    ? { path: '/sites/wp-scan?warnings=true&steps=true', body }
    : { path: '/exec?warnings=true&steps=true', body: { command, params: body } }
}

function lineOf({ data }: StoredEvent): string {
  return typeof data.message === 'string' ? data.message : ''
}
