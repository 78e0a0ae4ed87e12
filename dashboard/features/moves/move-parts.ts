import { z } from 'zod'
import { failureBody } from '#dashboard/kernel/agents/agent-errors.ts'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import {
  OutputExceeded,
  ReceiveBudget,
  timeLimitExceeded,
} from '#dashboard/kernel/agents/output-limits.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { OperationRow, ServerRow } from '#dashboard/kernel/db/rows.ts'
import { sendCancelRequest } from '#dashboard/kernel/engine/cancel/cancel-request.ts'
import { findCancelRequest } from '#dashboard/kernel/engine/cancel/queries.ts'
import type { EventRecorder } from '#dashboard/kernel/engine/event-recorder.ts'
import { type AttemptContext, errorOf } from '#dashboard/kernel/engine/operation-handle.ts'
import { type PartName, parseCommandResult } from '#dashboard/kernel/engine/parse-result.ts'
import { markRunning } from '#dashboard/kernel/engine/progress.queries.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { MoveRow } from '#dashboard/kernel/targets/moves.queries.ts'
import type { ResultOf } from '#shared/commands.ts'
import { cancelledError, conflict, offline, ServiceError } from '#shared/kernel/errors.ts'
import { isNumbered, isTerminal, type StoredEvent } from '#shared/kernel/sse.ts'
import type { StepChange } from '#shared/kernel/steps.ts'
import { storeProgress } from './queries.ts'

type Deps = Pick<CommonDeps, 'db' | 'clock' | 'longest_ms' | 'deadline_ms' | 'freeze_ms'> & {
  agents: Agents
}

/** The interval at which lines of an agent count as progress. */
const PROGRESS_MS = 60_000

interface MoveAttempt {
  operation: OperationRow
  context: AttemptContext
  recorder: EventRecorder
  row: MoveRow
}

interface PartCall<N extends PartName> {
  /** The stable id: with that of the operation it names one call, which never runs twice. */
  id: string
  server: ServerRow
  command: N
  params: Record<string, unknown>
}

/**
 * The parts of an operation of several servers. Each result is recorded, so that a restarted
 * dashboard continues with the first part that did not end, and asks its agent for the outcome.
 */
export class MoveParts {
  readonly #deps: Deps
  readonly #operation: OperationRow
  readonly #context: AttemptContext
  readonly #recorder: EventRecorder
  readonly #site_id: number
  #progress: Record<string, unknown>
  #marked: number
  #until: number

  constructor(deps: Deps, { operation, context, recorder, row }: MoveAttempt) {
    this.#deps = deps
    this.#operation = operation
    this.#context = context
    this.#recorder = recorder
    this.#site_id = row.site_id
    this.#progress = row.progress
    this.#marked = deps.clock.elapsed()
    const left = Date.parse(operation.deadline_at) - deps.clock.now().getTime()
    this.#until = this.#marked + Math.min(left, deps.deadline_ms)
  }

  /** The time without an answer after which the operation ends. */
  get left_ms(): number {
    return this.#until - this.#deps.clock.elapsed()
  }

  get<T>(name: string, schema: z.ZodType<T>): T | undefined {
    return schema.safeParse(this.#progress[name]).data
  }

  has(name: string): boolean {
    return this.#progress[name] !== undefined
  }

  async keep(name: string, value: unknown): Promise<void> {
    this.#progress = { ...this.#progress, [name]: value }
    await storeProgress(this.#deps.db, this.#site_id, this.#progress)
  }

  log(message: string): Promise<void> {
    return this.#recorder.log(message)
  }

  async step(name: string, title: string, state: StepChange['state']): Promise<void> {
    await this.#recorder.step({ id: 0, event: 'step', data: { name, title, state } }, 0)
  }

  /** Runs a part until it has ended once. A cancel request ends the operation before it. */
  async once<T>(name: string, title: string, schema: z.ZodType<T>, work: () => Promise<T>) {
    if (!this.has(name)) await this.#refuseCancelled()
    return this.finally(name, title, schema, work)
  }

  /** Runs a part until it has ended once, also after a cancel request. */
  async finally<T>(name: string, title: string, schema: z.ZodType<T>, work: () => Promise<T>) {
    const known = this.get(name, schema)
    if (known !== undefined) return known
    await this.log(title)
    await this.step(name, title, 'running')
    try {
      const result = await work()
      await this.keep(name, result)
      await this.#progressed()
      await this.step(name, title, 'done')
      return result
    } catch (error) {
      if (!this.#context.signal.aborted) await this.step(name, title, 'failed')
      throw error
    }
  }

  /** Restarts the time without agents. */
  async #progressed(): Promise<void> {
    const { db, clock, deadline_ms } = this.#deps
    this.#marked = clock.elapsed()
    this.#until = this.#marked + deadline_ms
    const [started_at, deadline_at] = [timestamp(clock), timestamp(clock, deadline_ms)]
    await markRunning(db, this.#operation.id, { started_at, deadline_at })
  }

  async #refuseCancelled(): Promise<void> {
    if (this.has('parting')) return
    const { db } = this.#deps
    if ((await findCancelRequest(db, this.#operation.id)) !== null) throw cancelledError()
  }

  /**
   * Runs a command, or attaches to it, and records its lines. Throws the error of the agent, and
   * during a freeze also conflict when that has lasted too long.
   */
  async call<N extends PartName>(call: PartCall<N>): Promise<ResultOf<N>> {
    const end = this.#end()
    try {
      return await this.#attached(call, end)
    } catch (error) {
      if (error === end.late) await this.#cancel(call)
      throw error
    }
  }

  /** Returns the time limit of a call. After the decision, the agents end a freeze. */
  #end(): { ms: number; error: () => Error; late?: Error } {
    const { longest_ms: ms, freeze_ms, clock } = this.#deps
    const since = this.get('freezing', z.string())
    const isFreezing = since !== undefined && !this.has('parting') && !this.has('failure')
    if (!isFreezing) return { ms, error: timeLimitExceeded }
    const late = conflict('The freeze took too long, and has ended')
    const lasted = clock.now().getTime() - Date.parse(since)
    return { ms: Math.max(1, freeze_ms - lasted), error: () => late, late }
  }

  /** Cancels a call: a wait for a silent storage would hold the site for a long time. */
  async #cancel<N extends PartName>({ id, server }: PartCall<N>): Promise<void> {
    const cancelled = { id: `${this.#operation.id}-${id}`, cancel: 'forced' } as const
    await sendCancelRequest(this.#deps, server, cancelled).catch(() => undefined)
  }

  async #attached<N extends PartName>(
    call: PartCall<N>,
    end: { ms: number; error: () => Error },
  ): Promise<ResultOf<N>> {
    const operation_id = `${this.#operation.id}-${call.id}`
    const heard = `heard ${operation_id}`
    const after = this.get(heard, z.number()) ?? 0
    const { signal } = this.#context
    // Each part has its own: one that exceeds it can be undone by others.
    const allowance = new ReceiveBudget()
    const body = { command: call.command, params: call.params }
    const asked = { path: '/exec?warnings=true', body, operation_id, after }
    const events = await this.#deps.agents.stream(call.server, { ...asked, signal, allowance, end })
    let last = after
    try {
      for await (const event of events) {
        allowance.received({ events: 1 })
        const result = await this.#heard(call, event)
        if (result) return result
        if (isNumbered(event)) last = event.id
      }
      throw offline('The connection to the agent was lost')
    } catch (error) {
      // The next attempt asks for the events after these.
      if (last > after) await this.keep(heard, last)
      throw error
    }
  }

  /** Records an event; returns the result of the part that it ends. */
  async #heard<N extends PartName>(
    { server, command, params }: PartCall<N>,
    event: StoredEvent,
  ): Promise<ResultOf<N> | undefined> {
    if (event.event === 'error') throw errorOf(failureBody(event.data))
    if (isTerminal(event)) return parseCommandResult(command, event.data, params)
    if (event.event === 'log') await this.log(`${server.name}: ${String(event.data.message)}`)
    if (this.#deps.clock.elapsed() - this.#marked > PROGRESS_MS) await this.#progressed()
    return undefined
  }
}

/** Whether an agent has answered that it refuses the request, or that it failed. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ServiceError &&
  !(error instanceof OutputExceeded) &&
  error.code !== 'offline' &&
  error.refusal !== 'timed_out'

/** The result of a part without one. */
export const Done = z.literal(true)
