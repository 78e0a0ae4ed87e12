import type { z } from 'zod'
import type { Agents, Answered } from '#dashboard/agents/agents.ts'
import { MAX_FOUND } from '#dashboard/agents/budgets.ts'
import { hasOurProtocol } from '#dashboard/agents/protocol.ts'
import type { Address } from '#dashboard/agents/transport.ts'
import { breathe, piecesOf } from '#dashboard/runtime/breathe.ts'
import { offline } from '#shared/errors.ts'
import type { ReadingContract } from '#shared/reading.ts'
import { reportReading } from '#shared/readings/changes.ts'
import type { AnyReading } from '#shared/readings/index.ts'

/** The calls of a sync. */
export type Reader = Pick<Agents, 'call'>

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
  const { answers } = await agents.call(to, reportReading, {}, { signal })
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

  async call<C extends AnyReading>(
    to: Address,
    contract: C,
    params: z.input<C['params']>,
    limits?: { signal?: AbortSignal | undefined },
  ): Promise<Answered<C>> {
    const path = contract.at.replace('GET ', '')
    if (!Object.hasOwn(this.#answers, path)) return this.#agents.call(to, contract, params, limits)
    const content = await contentOf(contract, this.#answers[path])
    if (content === undefined) throw offline(`The agent sent a malformed answer to ${path}`)
    return content as Answered<C>
  }
}

async function contentOf({ answer: form }: ReadingContract, answer: unknown): Promise<unknown> {
  if (typeof form === 'string') return undefined
  if (!('key' in form)) return form.safeParse(answer).data
  const list: unknown = Object(answer)[form.key]
  const beside = form.beside.safeParse(answer)
  if (!(beside.success && Array.isArray(list))) return undefined
  const entries: unknown[] = []
  for (const some of piecesOf(list.slice(0, MAX_FOUND), PIECE)) {
    for (const entry of some) {
      const { data, error } = form.entry.safeParse(entry)
      if (error) return undefined
      entries.push(data)
    }
    await breathe()
  }
  return { entries, total: list.length, beside: beside.data }
}
