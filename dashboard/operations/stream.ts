import { callerStream, type StreamDeps } from '#dashboard/auth/session-stream.ts'
import type { Asked } from '#dashboard/http/route.ts'
import { follow } from './follow.ts'
import type { Job } from './job.ts'

/** The stream of a job from its first event. Throws an ordinary status when it cannot start. */
export async function streamJob(
  call: Asked<StreamDeps>,
  { operation_id, accepted }: Job,
): Promise<Response> {
  call.server?.timeout(call.request, 0)
  await accepted
  const events = (signal: AbortSignal) =>
    follow(call.deps, operation_id, { after: 0, steps: false }, signal)
  return callerStream(call, { operation_id, events })
}
