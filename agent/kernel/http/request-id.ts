import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { REQUEST_HEADER, RequestId } from '#shared/kernel/agent-headers.ts'

const current = new AsyncLocalStorage<string>()

/** The id of a request from the dashboard, so that both logs can be joined, or a new one. */
export function idOf(request: Request): string {
  const given = RequestId.safeParse(request.headers.get(REQUEST_HEADER))
  return given.success ? given.data : randomBytes(9).toString('base64url')
}

/** Everything that `work` starts belongs to the request of this id, also an operation that outlives it. */
export function inRequest<T>(id: string, work: () => T): T {
  return current.run(id, work)
}

/** The id of the current request; undefined for the agent's own work. */
export function currentRequestId(): string | undefined {
  return current.getStore()
}
