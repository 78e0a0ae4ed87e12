import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { REQUEST_HEADER, RequestId } from '#shared/kernel/agent-headers.ts'

const current = new AsyncLocalStorage<string>()

/** Returns the id of a request from the dashboard, which joins both logs, or a new one. */
export function idOf(request: Request): string {
  const given = RequestId.safeParse(request.headers.get(REQUEST_HEADER))
  return given.success ? given.data : randomBytes(9).toString('base64url')
}

/** Runs work under the id of a request, with all that it starts, also operations. */
export function inRequest<T>(id: string, work: () => T): T {
  return current.run(id, work)
}

/** Returns the id of the current request; undefined for the agent's own work. */
export function currentRequestId(): string | undefined {
  return current.getStore()
}
