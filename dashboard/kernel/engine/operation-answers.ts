import { z } from 'zod'
import {
  callerStream,
  type StreamDeps as FollowDeps,
} from '#dashboard/kernel/auth/session-stream.ts'
import { ASKS_AGENT, streamOf } from '#dashboard/kernel/http/answers.ts'
import type { PathCall } from '#dashboard/kernel/http/route.ts'
import { Done } from '#shared/kernel/api/parts.ts'
import { PlanAnswer } from '#shared/kernel/plan.ts'
import { OPERATION_TYPES, type OperationType } from '#shared/operation-types.ts'
import { eventsOf, Step } from '#shared/operations/api/events.ts'
import { FollowQuery } from '#shared/operations/api/operations.ts'
import { awaitOutcome } from './enqueue.ts'
import { followOperation } from './follow-events.ts'
import type { OperationHandle } from './operation-handle.ts'
import { getOperation } from './queries.ts'
import type { OperationTarget } from './rules.ts'
import { type StartDeps, type StartInput, startOrPlan } from './start-operation.ts'

export type StreamDeps = StartDeps & FollowDeps

interface TargetAndBody<K extends OperationType> {
  loaded: OperationTarget
  body: StartInput<K>
}
type StreamingCall = PathCall<FollowDeps> & { query: z.output<typeof FollowQuery> }

/** Describes the events of a type; `step` is for callers that ask for it. */
export const streamOfType = (type: OperationType, about: string) =>
  streamOf(about, { ...eventsOf(type), step: Step })

/** The parts of a route that starts an operation, and answers with the events, or the plan. */
export const streamed = <K extends OperationType>(
  type: K,
  about = 'The events of the operation, or its plan.',
) => ({
  right: OPERATION_TYPES[type].right,
  query: FollowQuery,
  answers: { 200: { ...streamOfType(type, about), json: PlanAnswer } },
  errors: ASKS_AGENT,
  run: async (call: PathCall<StreamDeps> & StreamingCall & TargetAndBody<K>) => {
    const started = await startOrPlan(call.deps, type, call.loaded, call.body)
    return 'plan' in started ? started : streamOperation(call, started)
  },
})

const DONE_ANSWER = { about: 'Done, or its plan.', json: z.union([Done, PlanAnswer]) }

/** The parts of a route that waits for the outcome: it answers with a message, or with the plan. */
export const awaited = <K extends OperationType>(type: K) => ({
  right: OPERATION_TYPES[type].right,
  answers: { 200: DONE_ANSWER },
  errors: ASKS_AGENT,
  waits: true as const,
})

/** Makes the answer of `awaited`; `message` is that of a success. */
export async function doneOrPlan<K extends OperationType>(
  { deps, loaded, body }: TargetAndBody<K> & { deps: StartDeps },
  type: K,
  message: string,
) {
  const started = await startOrPlan(deps, type, loaded, body)
  if ('plan' in started) return started
  await awaitOutcome(deps, started)
  const { warnings } = await getOperation(deps.db, started.operation_id)
  const all = [message, ...warnings.map((warning) => warning.message)]
  return { status: 'ok' as const, message: all.join('. ') }
}

/** Streams an operation from its first event. Throws an ordinary status when it cannot start. */
export async function streamOperation(
  call: StreamingCall,
  { operation_id, accepted }: OperationHandle,
): Promise<Response> {
  call.server?.timeout(call.request, 0)
  await accepted
  const events = (signal: AbortSignal) =>
    followOperation(call.deps, operation_id, { after: 0, steps: call.query.steps }, signal)
  return callerStream(call, { operation_id, events })
}
