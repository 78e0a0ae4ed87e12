import type { Host } from '#agent/kernel/host/ports.ts'
import { withDiskAdvice } from '#agent/kernel/host/storage.ts'
import type { Progress, RunContext } from '#agent/kernel/steps/command.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import type { StepChange } from '#shared/kernel/steps.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { Session } from './cancellable-host.ts'
import type { Locks } from './locks.ts'
import type { Operation } from './operation.ts'
import type { JournalEntry } from './records.ts'
import { StepStates } from './step-states.ts'
import { performSteps } from './steps.ts'
import type { OperationStore } from './store.ts'
import { type OperationLimits, watchTime } from './time-limits.ts'

/** A command that has run to its first line, and its remaining work. */
export type StartedWork = {
  next: IteratorResult<string | StepChange, object>
  work: Progress<object>
}

export interface ExecutionOptions {
  host: Host
  store: OperationStore
  limits: OperationLimits
  /** Called with the lock held, after the operation ended; there may be unfinished work. */
  ended: (operation_id: string) => Promise<void>
  report: (error: unknown, operation_id: string) => void
  log?: ((message: string, facts: { operation_id: string; command?: string }) => void) | undefined
}

/** Runs an operation to its single terminal event. */
export class Execution {
  readonly operation: Operation
  readonly session: Session
  readonly context: RunContext
  readonly states: StepStates
  readonly #options: ExecutionOptions
  readonly #warnings: Warning[] = []

  constructor(operation: Operation, options: ExecutionOptions) {
    const { id } = operation
    this.operation = operation
    this.#options = options
    this.session = new Session(options.host, id, {
      makeRoom: () => options.store.reserve.give(),
      tell: (line) => void operation.log(line).catch((fault) => options.report(fault, id)),
    })
    this.states = new StepStates(operation.steps)
    this.context = {
      host: this.session.host,
      announce: (steps) => this.states.announce(steps),
      perform: (steps) => performSteps(steps, this.write, this.session, this.states),
      warn: (warning) => void this.#warnings.push(warning),
    }
  }

  readonly write = (entry: JournalEntry) => this.#options.store.addEntry(this.operation.id, entry)

  get journal() {
    return { write: this.write, makeRoom: this.session.makeRoom, states: this.states }
  }

  /** Waits for the lock, then starts and runs to the end. Never throws. */
  async runAfter(
    locks: Locks,
    key: string | undefined,
    begin: () => Promise<StartedWork>,
  ): Promise<void> {
    let release: () => void = () => undefined
    try {
      release = await locks.take(key, this.session.signal)
      await this.runToEnd(await begin())
    } catch (error) {
      await this.#failed(error)
    } finally {
      release()
    }
  }

  /** Never throws. */
  async runToEnd({ next, work }: StartedWork): Promise<void> {
    const { operation } = this
    const watching = watchTime(this.#options.limits, {
      stop: (reason) => this.session.stop(reason, true),
      warn: (line) => void operation.log(line),
    })
    try {
      let step = next
      while (!step.done) {
        watching.restart()
        await operation.add(step.value)
        step = await work.next()
      }
      await this.#settle('complete')
      await operation.complete({ ...step.value }, this.#warnings)
      this.#options.log?.('operation completed', { operation_id: operation.id })
      await this.#forget()
    } catch (error) {
      await this.#failed(error)
    } finally {
      watching.end()
    }
  }

  async #failed(error: unknown): Promise<void> {
    const { report } = this.#options
    const { id } = this.operation
    await this.session.undoing()
    const reason = causeOf(this.session.reason, error)
    report(reason, id)
    await this.#settle('error')
    await this.operation.fail(presentable(reason)).catch((fault) => report(fault, id))
    await this.#forget()
  }

  async #settle(end: 'complete' | 'error'): Promise<void> {
    this.states.settle(end)
    for (const change of this.states.news()) await this.operation.add(change)
  }

  async #forget(): Promise<void> {
    const { ended, host, report } = this.#options
    const { id } = this.operation
    await ended(id).catch((fault) => report(fault, id))
    void host.programs.forget(id).catch((fault) => report(fault, id))
  }
}

export async function startWork(work: Progress<object>): Promise<StartedWork> {
  return { next: await work.next(), work }
}

/** Returns the reason of an early end, in place of the errors that it caused. */
function causeOf(reason: ServiceError | undefined, error: unknown): unknown {
  const isOfIt = error === reason || (error instanceof Error && error.cause === reason)
  return reason && !isOfIt ? reason : error
}

/** Returns an error with the machine's own message, which never contains a secret (ports.ts). */
export function presentable(cause: unknown): unknown {
  const error = withDiskAdvice(cause)
  if (error instanceof ServiceError || !(error instanceof Error)) return error
  return new ServiceError('internal', { message: error.message, cause: error })
}
