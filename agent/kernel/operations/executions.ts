import type { Host } from '#agent/kernel/host/ports.ts'
import { withDiskAdvice } from '#agent/kernel/host/storage.ts'
import type { Command, CommandTable, Progress } from '#agent/kernel/steps/command.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import { contractOf } from '#shared/contracts.ts'
import { cancelledError, notUndone, ServiceError } from '#shared/kernel/errors.ts'
import type { Session } from './cancellable-host.ts'
import { Execution, type ExecutionOptions, startWork } from './execution.ts'
import type { Locks } from './locks.ts'
import { Operation } from './operation.ts'
import { keyOf, type PendingCleanup } from './pending-cleanup.ts'
import type { JournalEntry, OperationRequest } from './records.ts'
import { finishSteps, isDecided, startedSteps, undoSteps } from './steps.ts'
import type { OperationStore } from './store.ts'
import { limitsOf, type OperationLimits } from './time-limits.ts'

export interface ExecutionsOptions extends Pick<ExecutionOptions, 'host' | 'report' | 'log'> {
  commands: CommandTable
  /** The limits of the contract by default. */
  limits?: typeof limitsOf
}

interface ExecutionsDeps {
  store: OperationStore
  locks: Locks
  cleanup: PendingCleanup
}

/** The time for which an ended operation stays in memory; then it is read from the disk. */
const KEEP_IN_MEMORY_MS = 60_000

/** Runs operations to their single terminal event, and continues those of the previous process. */
export class Executions {
  readonly #options: ExecutionsOptions
  readonly #store: OperationStore
  readonly #locks: Locks
  readonly #cleanup: PendingCleanup
  readonly #operations = new Map<string, Operation>()
  /** The executions that run or are being accepted, by their id. */
  readonly #executions = new Map<string, Execution>()
  readonly #requests = new WeakMap<Execution, Pick<OperationRequest, 'command' | 'params'>>()
  readonly #limitsOf: typeof limitsOf

  constructor(options: ExecutionsOptions, { store, locks, cleanup }: ExecutionsDeps) {
    this.#options = options
    this.#limitsOf = options.limits ?? limitsOf
    this.#store = store
    this.#locks = locks
    this.#cleanup = cleanup
  }

  /** Returns whether it runs or is being accepted. */
  has(id: string): boolean {
    return this.#executions.has(id)
  }

  /** Returns the params of the operations that run or are being accepted. */
  async paramsOf<N extends CommandName>(name: N): Promise<ParamsOf<N>[]> {
    const contract = await contractOf(name)
    return [...this.#executions.values()].flatMap((execution) => {
      const { command, params } = this.#requests.get(execution) ?? {}
      const parsed = command === name ? contract.params.safeParse(params) : undefined
      // The table ties the schema to the command by name, which the compiler cannot follow here.
      return parsed?.success ? [parsed.data as ParamsOf<N>] : []
    })
  }

  async find(id: string): Promise<Operation | undefined> {
    const running = this.#operations.get(id)
    if (running) return running
    const request = await this.#store.request(id)
    if (request) {
      return new Operation(id, request.fingerprint, { events: await this.#store.history(id) })
    }
    const cancelled = (await this.#store.cancelledAt(id)) !== undefined
    return cancelled ? Operation.cancelled(id) : undefined
  }

  /** Ends a running operation early. Returns true if it has already ended. */
  async stop(id: string, force: boolean): Promise<boolean> {
    this.#executions.get(id)?.session.stop(cancelledError(), force)
    if (this.#operations.get(id)?.ended) return true
    // Recorded for the next process of the agent, if this one ends meanwhile.
    const noted = this.#store.cancel(id, this.#options.host.clock.now())
    await noted.catch((error) => this.#options.report(error, id))
    return this.#operations.get(id)?.ended ?? false
  }

  /** Accepts an operation whose id is new. Throws the errors of the command's checks. */
  async start<N extends CommandName>(
    name: N,
    params: ParamsOf<N>,
    id: string,
    fingerprint: string,
  ): Promise<Operation> {
    const { host, commands, log } = this.#options
    const contract = await contractOf(name)
    const { changes: stored } = contract
    const command: Command<N> = await commands[name]()
    const limits = this.#limitsOf(contract)
    const kept = stored ? { store: this.#store } : {}
    const operation = new Operation(id, fingerprint, { ...kept, limits, clock: host.clock })
    let key: string | undefined
    const ended = async () => {
      if (stored) await this.#cleanup.note(id, key)
    }
    const execution = this.#executionOf(operation, { command: name, params }, limits, ended)
    const accept = async () => {
      const created_at = host.clock.now()
      if (stored) await this.#store.create({ id, command: name, params, fingerprint, created_at })
      this.#operations.set(id, operation)
      log?.('operation started', { operation_id: id, command: name })
    }
    const begin = async () => {
      await this.#cleanup.clear(key)
      return startWork(command.run(params, execution.context))
    }
    try {
      key = stored ? await command.lock(params, host) : undefined
      if (this.#locks.free(key)) await this.#now(execution, key, begin, accept)
      else {
        await accept()
        await operation.log('Waiting for another operation to end')
        this.#track(execution, execution.runAfter(this.#locks, key, begin))
      }
      return operation
    } catch (error) {
      this.#executions.delete(id)
      if (execution.session.reason) return Operation.cancelled(id, fingerprint)
      throw withDiskAdvice(error)
    }
  }

  /** Starts at once; a refusal before the first line throws, and creates no operation. */
  async #now(
    execution: Execution,
    key: string | undefined,
    begin: Parameters<Execution['runAfter']>[2],
    accept: () => Promise<void>,
  ): Promise<void> {
    const release = await this.#locks.take(key, execution.session.signal)
    try {
      const first = await begin()
      await accept()
      this.#track(execution, execution.runToEnd(first).finally(release))
    } catch (error) {
      release()
      throw error
    }
  }

  /** Continues an unfinished operation; returns undefined if it has ended. */
  async resume(id: string): Promise<{ end: Promise<void> } | undefined> {
    const { host, commands } = this.#options
    const request = await this.#store.request(id)
    if (!request) return undefined
    await this.#store.mend(id)
    const events = await this.#store.history(id)
    const limits = this.#limitsOf(await contractOf(request.command))
    const kept = { store: this.#store, events }
    const operation = new Operation(id, request.fingerprint, { ...kept, limits, clock: host.clock })
    const command: Command<typeof request.command> = await commands[request.command]()
    const key = await keyOf(commands, request, host)
    if (operation.ended) {
      await this.#cleanup.noteOld(request, key)
      return undefined
    }
    const ended = () => this.#cleanup.note(id, key)
    const execution = this.#executionOf(operation, request, limits, ended)
    this.#operations.set(id, operation)
    const left = {
      request,
      journal: await this.#store.journal(id),
      cancelled: (await this.#store.cancelledAt(id)) !== undefined,
    }
    const begin = () => startWork(recover(command, left, { host, execution }))
    const end = execution.runAfter(this.#locks, key, begin)
    this.#track(execution, end)
    return { end }
  }

  #executionOf(
    operation: Operation,
    request: Pick<OperationRequest, 'command' | 'params'>,
    limits: OperationLimits,
    ended: () => Promise<void>,
  ): Execution {
    const options = { ...this.#options, store: this.#store, limits, ended }
    const execution = new Execution(operation, options)
    this.#requests.set(execution, request)
    this.#executions.set(operation.id, execution)
    return execution
  }

  #track({ operation: { id } }: Execution, end: Promise<void>): void {
    void end.finally(() => {
      this.#executions.delete(id)
      setTimeout(() => this.#operations.delete(id), KEEP_IN_MEMORY_MS).unref?.()
    })
  }
}

const DAY_MS = 24 * 3_600_000
const POLL_MS = 100

/** An operation that the previous process did not end. */
interface UnfinishedOperation {
  request: OperationRequest
  journal: readonly JournalEntry[]
  cancelled: boolean
}

interface RecoveryDeps {
  host: Host
  execution: Execution
}

/**
 * Ends an operation after a restart: resumes one that can, completes one past its point of no
 * return, and undoes the started steps of others. Before that it ends all programs of the previous
 * process.
 */
async function* recover<N extends CommandName>(
  command: Command<N>,
  left: UnfinishedOperation,
  { host, execution }: RecoveryDeps,
): Progress<object> {
  const { request } = left
  const contract = await contractOf(request.command)
  const parsed = contract.params.safeParse(request.params)
  // The table ties the schema to the command by name, which the compiler cannot follow here.
  const params = parsed.data as ParamsOf<N>
  execution.states.restarted(left.journal)
  yield* untilPackagesAreDone(host, execution.session, request.id)
  const recent = request.created_at > host.clock.now() - DAY_MS
  if (command.resume && recent && !left.cancelled) {
    await execution.session.alone()
    return yield* command.resume(params, execution.context)
  }
  await execution.session.undoing()
  const since = request.created_at
  const steps = (parsed.success && (await command.steps?.(params, host, since))) || []
  const started = startedSteps(steps, left.journal)
  if (await isDecided(started, left.journal)) {
    yield 'The agent was restarted; continuing past the point of no return'
    const reason = yield* finishSteps(steps, execution.journal)
    const outcome = await command.finished?.(params, host, since)?.catch((error: unknown) => {
      if (reason === undefined) throw error
    })
    if (!outcome) throw interrupted(`; ${reason}`)
    for (const warning of (await command.missing?.(params, host, since)) ?? []) {
      yield `Warning: ${warning.message}`
      execution.context.warn(warning)
    }
    return outcome
  }
  yield 'The agent was restarted; undoing the started steps'
  execution.states.interrupted()
  const remains = yield* undoSteps(started, execution.journal)
  const cause = left.cancelled ? cancelledError() : interrupted('')
  throw remains.length > 0 ? notUndone(cause, remains) : cause
}

function interrupted(rest: string): ServiceError {
  const message = `The agent was restarted in the middle of the operation${rest}`
  return new ServiceError('internal', { message, refusal: 'interrupted' })
}

/** Waits for dpkg, which continues without the agent: a restart never interrupts it. */
async function* untilPackagesAreDone(host: Host, session: Session, id: string): Progress<void> {
  if ((await host.programs.lasting(id)) === 0) return
  yield 'The agent was restarted; waiting for the installation of packages to end'
  while ((await host.programs.lasting(id)) > 0) await session.host.clock.sleep(POLL_MS)
}
