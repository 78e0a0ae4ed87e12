import type { z } from 'zod'
import type { Agents } from '#dashboard/agents/agents.ts'
import { reachCodeOf } from '#dashboard/agents/answer.ts'
import { MOST_FOUND } from '#dashboard/agents/budgets.ts'
import type { MissingCalls } from '#dashboard/agents/missing-calls.ts'
import type { Listed, ListOf } from '#dashboard/agents/read-answer.ts'
import type { Address } from '#dashboard/agents/transport.ts'
import { breathe, piecesOf } from '#dashboard/runtime/breathe.ts'
import type { Clock } from '#dashboard/runtime/clock.ts'
import { offline, ServiceError } from '#shared/errors.ts'
import { Report } from '#shared/report.ts'

/** The calls of a sync. */
export type Reader = Pick<Agents, 'get' | 'list'>

/** An agent without the call, or a slow one, is asked for it again after this. */
const AVOIDED_MS = 10 * 60_000
/** Entries that are checked at once. */
const PIECE = 200

/** Reads what an agent reports to a sync: with one call, since each is a round trip. */
export class ReportReader {
  readonly #agents: Agents
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #missing: MissingCalls
  readonly #each: Reader
  readonly #avoided = new Map<number, number>()

  constructor(agents: Agents, clock: Pick<Clock, 'elapsed'>, missing: MissingCalls) {
    this.#agents = agents
    this.#clock = clock
    this.#missing = missing
    this.#each = eachOf(agents, missing)
  }

  /** A call for each part if the agent lacks the call or is slow to answer it. Throws offline. */
  async read(to: Address, signal?: AbortSignal): Promise<Reader> {
    const now = this.#clock.elapsed()
    if ((this.#avoided.get(to.id) ?? 0) > now) return this.#each
    this.#avoided.delete(to.id)
    try {
      const asked = () => this.#agents.get(to, '/report', Report, undefined, signal)
      const { answers } = await this.#missing.send(to.id, '/report', asked)
      return new Reported(this.#agents, answers)
    } catch (error) {
      if (!mayAnswerEach(error)) throw error
      if (!this.#missing.has(to.id, '/report')) this.#avoided.set(to.id, now + AVOIDED_MS)
      return this.#each
    }
  }
}

/** What every agent answers. */
const CONTRACT = ['/metrics', '/services', '/sites']

/** A call for each part. One that the agent does not have is not repeated in each sync. */
function eachOf(agents: Agents, missing: MissingCalls): Reader {
  const sent = <T>(to: Address, path: string, send: () => Promise<T>) =>
    CONTRACT.includes(path) ? send() : missing.send(to.id, path, send)
  return {
    get: (to, path, ...rest) => sent(to, path, () => agents.get(to, path, ...rest)),
    list: (to, path, ...rest) => sent(to, path, () => agents.list(to, path, ...rest)),
  }
}

/** Whether the agent refused this call only, or was too slow for it. */
function mayAnswerEach(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false
  return error.code !== 'offline' || reachCodeOf(error) === 'timed_out'
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
