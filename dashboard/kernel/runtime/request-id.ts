import { AsyncLocalStorage } from 'node:async_hooks'
import { type Random, randomText } from './random.ts'

const current = new AsyncLocalStorage<string>()
const knownId = new WeakMap<Request, string>()

/** Returns the id of a request, for its answer, its log lines and its calls of agents. */
export function requestIdOf(request: Request, random: Random): string {
  const id = knownId.get(request) ?? newRequestId(random)
  knownId.set(request, id)
  return id
}

export function newRequestId(random: Random): string {
  return randomText(random, 9)
}

/** Runs `work` as a part of the request of this id, also after its answer. */
export function inRequest<T>(id: string, work: () => T): T {
  return current.run(id, work)
}

/** The id of the current request; undefined for the dashboard's own work. */
export function currentRequestId(): string | undefined {
  return current.getStore()
}
