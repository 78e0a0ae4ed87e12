import type { z } from 'zod'
import type { Agents, ReadingAnswer } from '#dashboard/kernel/agents/agents.ts'
import { MAX_LIST_ENTRIES } from '#dashboard/kernel/agents/budgets.ts'
import type { AgentAddress } from '#dashboard/kernel/agents/transport.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { chunksOf, yieldToEventLoop } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import { offline } from '#shared/kernel/errors.ts'
import type { ReadingContract } from '#shared/kernel/reading.ts'
import type { AnyReading } from '#shared/readings.ts'
import type { Metrics } from '#shared/servers/agent.ts'
import { changesReading } from '#shared/servers/changes.readings.ts'
import { type Changes, type PartVersions, sinceOf } from '#shared/servers/changes.ts'
import { metricsReading, servicesReading } from '#shared/servers/readings.ts'
import { sitesReading } from '#shared/sites/readings.ts'
import type { ServerVersions } from './stored-versions.ts'

/** The readings of an agent: with a call for each, or from an answer that has several. */
export type AgentReader = Pick<Agents, 'call'>

/** One answer of an agent: its versions, and the parts that differ from those in the request. */
export interface ServerChanges {
  metrics: Metrics
  versions: Changes['versions']
  reader: AgentReader
  asked_at: string
}

interface ReadOptions {
  /** How long the agent may hold the call, in seconds. */
  wait?: number
  timeout_ms?: number
  signal?: AbortSignal | undefined
}

const PIECE = 200

interface Deps {
  agents: Agents
  clock: Clock
}

/** Asks for the parts of these versions. Throws a ServiceError, offline among others. */
export async function readChanges(
  { agents, clock }: Deps,
  to: AgentAddress,
  since: PartVersions,
  { wait = 0, ...limits }: ReadOptions = {},
): Promise<ServerChanges> {
  const asked_at = timestamp(clock)
  const params = { since: sinceOf(since), wait: String(wait) }
  const { answers, ...rest } = await agents.call(to, changesReading, params, limits)
  return { ...rest, asked_at, reader: new AnswerReader(agents, answers) }
}

/** Compares one of the two lists that make the state of another protocol. Throws offline. */
export async function compareLists(
  { agents, clock }: Deps,
  to: AgentAddress,
  { state, times }: Pick<ServerVersions, 'state' | 'times'>,
): Promise<ServerChanges> {
  const asked_at = timestamp(clock)
  const metrics = await agents.call(to, metricsReading, {})
  const [services, sites] = state?.split(' ') ?? []
  const isSitesTurn = times % 2 === 0
  const lists = [
    services !== undefined && isSitesTurn ? services : await agents.digest(to, servicesReading),
    sites !== undefined && !isSitesTurn ? sites : await agents.digest(to, sitesReading),
  ]
  return { metrics, versions: { state: lists.join(' ') }, reader: agents, asked_at }
}

/** Returns the parts of an answer; the agent is asked for those that it left out. */
class AnswerReader implements AgentReader {
  readonly #agents: Agents
  readonly #answers: Readonly<Record<string, unknown>>

  constructor(agents: Agents, answers: Readonly<Record<string, unknown>>) {
    this.#agents = agents
    this.#answers = answers
  }

  async call<C extends AnyReading>(
    to: AgentAddress,
    contract: C,
    params: z.input<C['params']>,
    limits?: { signal?: AbortSignal | undefined },
  ): Promise<ReadingAnswer<C>> {
    const path = contract.at.replace('GET ', '')
    if (!Object.hasOwn(this.#answers, path)) return this.#agents.call(to, contract, params, limits)
    const content = await contentOf(contract, this.#answers[path])
    if (content === undefined) throw offline(`The agent sent a malformed answer to ${path}`)
    return content as ReadingAnswer<C>
  }
}

async function contentOf({ answer: form }: ReadingContract, answer: unknown): Promise<unknown> {
  if (typeof form === 'string') return undefined
  if (!('key' in form)) return form.safeParse(answer).data
  const list: unknown = Object(answer)[form.key]
  const beside = form.beside.safeParse(answer)
  if (!(beside.success && Array.isArray(list))) return undefined
  const entries: unknown[] = []
  for (const some of chunksOf(list.slice(0, MAX_LIST_ENTRIES), PIECE)) {
    for (const entry of some) {
      const { data, error } = form.entry.safeParse(entry)
      if (error) return undefined
      entries.push(data)
    }
    await yieldToEventLoop()
  }
  return { entries, total: list.length, beside: beside.data }
}
