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
import { outcome } from './begin.ts'
import { follow } from './follow.ts'
import type { Job } from './job.ts'
import { getOperation } from './queries.ts'
import type { Target } from './rules.ts'
import { type Input, type StartDeps, startOrPlan } from './start.ts'

/** The dependencies of a route that streams operations. */
export type StreamDeps = StartDeps & FollowDeps

interface Loaded<K extends OperationType> {
  loaded: Target
  body: Input<K>
}
type Streaming = PathCall<FollowDeps> & { query: z.output<typeof FollowQuery> }

/** The events of a type; `step` for callers that ask for it. */
export const streamOfType = (type: OperationType, about: string) =>
  streamOf(about, { ...eventsOf(type), step: Step })

/** For a route that starts an operation on its target: answers with the events, or with the plan. */
export const streamed = <K extends OperationType>(
  type: K,
  about = 'The events of the operation, or its plan.',
) => ({
  right: OPERATION_TYPES[type].right,
  query: FollowQuery,
  answers: { 200: { ...streamOfType(type, about), json: PlanAnswer } },
  errors: ASKS_AGENT,
  run: async (call: PathCall<StreamDeps> & Streaming & Loaded<K>) => {
    const started = await startOrPlan(call.deps, type, call.loaded, call.body)
    return 'plan' in started ? started : streamJob(call, started)
  },
})

const done = { about: 'Done, or its plan.', json: z.union([Done, PlanAnswer]) }

/** For a route that waits for the outcome: answers with a message, or with the plan. */
export const waited = <K extends OperationType>(type: K) => ({
  right: OPERATION_TYPES[type].right,
  answers: { 200: done },
  errors: ASKS_AGENT,
  waits: true as const,
})

/** The answer to `waited`; `message` is that of a success. */
export async function doneOrPlan<K extends OperationType>(
  { deps, loaded, body }: Loaded<K> & { deps: StartDeps },
  type: K,
  message: string,
) {
  const started = await startOrPlan(deps, type, loaded, body)
  if ('plan' in started) return started
  await outcome(deps, started)
  const { warnings } = await getOperation(deps.db, started.operation_id)
  const all = [message, ...warnings.map((warning) => warning.message)]
  return { status: 'ok' as const, message: all.join('. ') }
}

/** The stream of a job from its first event. Throws an ordinary status when it cannot start. */
export async function streamJob(
  call: Streaming,
  { operation_id, accepted }: Job,
): Promise<Response> {
  call.server?.timeout(call.request, 0)
  await accepted
  const events = (signal: AbortSignal) =>
    follow(call.deps, operation_id, { after: 0, steps: call.query.steps }, signal)
  return callerStream(call, { operation_id, events })
}
