import { AsyncLocalStorage } from 'node:async_hooks'
import { type Random, randomText } from './random.ts'

const current = new AsyncLocalStorage<string>()
const known = new WeakMap<Request, string>()

/** The id of a request: made once, and on its answer, its log lines and what it asks of agents. */
export function idOf(request: Request, random: Random): string {
  const id = known.get(request) ?? newRequestId(random)
  known.set(request, id)
  return id
}

export function newRequestId(random: Random): string {
  return randomText(random, 9)
}

/** All that `work` begins belongs to the request of this id, also what goes on after its answer. */
export function inRequest<T>(id: string, work: () => T): T {
  return current.run(id, work)
}

/** The id of the request that is being answered here; undefined for what the dashboard does by itself. */
export function currentRequestId(): string | undefined {
  return current.getStore()
}
