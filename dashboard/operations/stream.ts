import { callerStream } from '#dashboard/auth/session-stream.ts'
import type { Connection } from '#dashboard/http/client.ts'
import type { StoredEvent } from '#shared/sse.ts'
import { follow } from './follow.ts'
import type { Job } from './job.ts'

type Follower = Parameters<typeof follow>[0] & Parameters<typeof callerStream>[0]

/** The stream of a job from its first event. Throws, as an ordinary status, when it cannot begin. */
export async function streamJob(
  deps: Follower,
  job: Job,
  { request, server }: { request: Request; server: Connection | null },
): Promise<Response> {
  server?.timeout(request, 0)
  await job.accepted
  const events = (signal: AbortSignal): AsyncGenerator<StoredEvent> =>
    follow(deps, job.operation_id, { after: 0, steps: false }, signal)
  const { operation_id } = job
  return callerStream(deps, request, { operation_id, server, events })
}
