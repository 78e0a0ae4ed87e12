import type { z } from 'zod'
import type { Agents } from '#dashboard/agents/agents.ts'
import { MOST_FOUND } from '#dashboard/agents/budgets.ts'
import { hasOurProtocol } from '#dashboard/agents/protocol.ts'
import type { Listed, ListOf } from '#dashboard/agents/read-answer.ts'
import type { Address } from '#dashboard/agents/transport.ts'
import { breathe, piecesOf } from '#dashboard/runtime/breathe.ts'
import { offline } from '#shared/errors.ts'
import { Report } from '#shared/report.ts'

/** The calls of a sync. */
export type Reader = Pick<Agents, 'get' | 'list'>

/** Entries that are checked at once. */
const PIECE = 200

/**
 * Reads what an agent reports to a sync: with one call, since each is a round trip. An agent of another
 * protocol gets a call for each part that every agent has. Throws offline.
 */
export async function readReport(
  agents: Agents,
  to: Address,
  signal?: AbortSignal,
): Promise<Reader> {
  if (!hasOurProtocol(to)) return agents
  const { answers } = await agents.get(to, '/report', Report, undefined, signal)
  return new Reported(agents, answers)
}

/** The answers of a report; the agent is asked for those that it left out. */
class Reported implements Reader {
  readonly #agents: Agents
  readonly #answers: Readonly<Record<string, unknown>>

  constructor(agents: Agents, answers: Readonly<Record<string, unknown>>) {
    this.#agents = agents
    this.#answers = answers
  }

  get<S extends z.ZodType>(
    to: Address,
    path: string,
    schema: S,
    timeout_ms?: number,
    signal?: AbortSignal,
  ): Promise<z.output<S>> {
    if (!Object.hasOwn(this.#answers, path))
      return this.#agents.get(to, path, schema, timeout_ms, signal)
    const { data, error } = schema.safeParse(this.#answers[path])
    return error ? Promise.reject(malformed(path)) : Promise.resolve(data)
  }

  async list<S extends z.ZodType>(
    to: Address,
    path: string,
    of: ListOf<S>,
    signal?: AbortSignal,
  ): Promise<Listed<z.output<S>>> {
    if (!Object.hasOwn(this.#answers, path)) return this.#agents.list(to, path, of, signal)
    const list: unknown = Object(this.#answers[path])[of.key]
    if (!Array.isArray(list)) throw malformed(path)
    const entries: z.output<S>[] = []
    for (const some of piecesOf(list.slice(0, MOST_FOUND), PIECE)) {
      for (const entry of some) {
        const { data, error } = of.entry.safeParse(entry)
        if (error) throw malformed(path)
        entries.push(data)
      }
      await breathe()
    }
    return { entries, total: list.length }
  }
}

const malformed = (path: string) => offline(`The agent sent a malformed answer to ${path}`)
