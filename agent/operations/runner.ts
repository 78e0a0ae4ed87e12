import { createHash, randomBytes } from 'node:crypto'
import { exclusiveByName } from '#agent/host/exclusive.ts'
import { blamingDisk } from '#agent/host/storage.ts'
import type { Command, CommandTable } from '#agent/steps/command.ts'
import { type Limits, limitsOf } from '#agent/steps/time-limits.ts'
import { COMMANDS, type CommandName, type ParamsOf } from '#shared/commands.ts'
import { cancelledError, conflict, forbidden } from '#shared/errors.ts'
import type { Plan } from '#shared/plan.ts'
import { Execution, type ExecutionOptions, shown, startWork } from './execution.ts'
import { Locks } from './locks.ts'
import { Operation } from './operation.ts'
import { keyOf, PendingCleanup } from './pending-cleanup.ts'
import { planOf } from './plan.ts'
import { recovered } from './recovery.ts'
import { refusalOf, refusedAgain } from './refusal.ts'
import { OperationStore } from './store.ts'

export interface RunnerOptions extends Pick<ExecutionOptions, 'host' | 'report' | 'log'> {
  commands: CommandTable
  /** The limit of concurrent operations that change this server. */
  places?: number
  /** Default: those of steps/time-limits.ts. */
  limits?: (name: CommandName) => Limits
}

/** How long an ended operation stays in memory; a stored one is read from the disk afterwards. */
const AT_HAND_MS = 60_000

/** Starts operations, finds them by their id, and runs each to its single terminal event. */
export class Runner {
  readonly store: OperationStore
  readonly #options: RunnerOptions
  readonly #operations = new Map<string, Operation>()
  /** Those that run or are being accepted. */
  readonly #executions = new Map<string, Execution>()
  readonly #byId = exclusiveByName()
  readonly #locks: Locks
  readonly #cleanup: PendingCleanup
  readonly #limitsOf: (name: CommandName) => Limits

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#limitsOf = options.limits ?? limitsOf
    this.#locks = new Locks(options.places ?? 4)
    this.store = new OperationStore(options.host.files, options.host.settings.state_dir)
    this.#cleanup = new PendingCleanup({ ...options, store: this.store })
  }

  /**
   * Starts a command, or attaches to the operation with this id. A refused id is refused always: a
   * late message must not run work that nobody waits for any more. Throws errors of the command's
   * checks before its first line (nothing was changed then), conflict when the id belongs to other
   * work, and forbidden when the agent is not root.
   */
  async start<N extends CommandName>(
    command: N,
    params: ParamsOf<N>,
    given?: string,
  ): Promise<Operation> {
    this.#refuseUnprivileged(command)
    const id = given ?? randomBytes(16).toString('base64url')
    const fingerprint = digest(command, params)
    return this.#byId(id, async () => {
      const known = await this.find(id)
      const refusal = known ? undefined : await this.store.refusal(id)
      const before = known?.fingerprint ?? refusal?.fingerprint
      if (before !== undefined && before !== fingerprint) {
        throw conflict(`Operation ${id} was started with other parameters`)
      }
      if (refusal) throw refusedAgain(refusal)
      if (known) return known
      return this.#start(command, params, id, fingerprint).catch(async (error: unknown) => {
        if (given !== undefined && COMMANDS[command].changes)
          await this.#noteRefusal(id, fingerprint, error)
        throw error
      })
    })
  }

  /**
   * The plan of `start`: nothing is stored or changed, and no lock is awaited. Throws the errors of
   * `start`.
   */
  async plan<N extends CommandName>(name: N, params: ParamsOf<N>): Promise<Plan> {
    this.#refuseUnprivileged(name)
    const { host, commands } = this.#options
    const command: Command<N> = commands[name]
    try {
      return await planOf(await command.plan(params, host))
    } catch (error) {
      throw shown(error)
    }
  }

  #refuseUnprivileged(command: CommandName): void {
    if (!COMMANDS[command].changes || this.#options.host.privileged) return
    throw forbidden('The agent must run as root to change this server')
  }

  isBusy(key: string): boolean {
    return this.#locks.holds(key)
  }

  async find(id: string): Promise<Operation | undefined> {
    const running = this.#operations.get(id)
    if (running) return running
    const request = await this.store.request(id)
    if (request) {
      return new Operation(id, request.fingerprint, { events: await this.store.history(id) })
    }
    const cancelled = (await this.store.cancelledAt(id)) !== undefined
    return cancelled ? Operation.cancelled(id) : undefined
  }

  /**
   * Cancels an operation, or an unknown one as soon as it arrives. True: it has already ended. Past
   * its point of no return it completes.
   */
  async cancel(id: string, force: boolean): Promise<boolean> {
    if (this.#executions.has(id)) return this.#stop(id, force)
    return this.#byId(id, async () => {
      const known = await this.find(id)
      if (known) return known.ended || this.#stop(id, force)
      await this.store.cancel(id, this.#options.host.clock.now()).catch((error) => {
        throw blamingDisk(error)
      })
      return true
    })
  }

  /**
   * Continues the unfinished operations of the previous process. Returns when all of them wait for
   * their locks, before new requests; `ended` resolves at their end.
   */
  async recover(): Promise<{ ended: Promise<unknown> }> {
    const ends: Promise<unknown>[] = []
    for (const id of await this.store.unended()) {
      const left = await this.#leftOver(id).catch((error) => this.#options.report(error, id))
      if (left) ends.push(left.end)
    }
    ends.push(this.settle())
    return { ended: Promise.all(ends) }
  }

  /** Does the unfinished work of ended operations, each in turn. Never throws. */
  async settle(): Promise<void> {
    const { report } = this.#options
    for (const [id, key] of this.#cleanup.known) {
      const release = await this.#locks.take(key)
      await this.#cleanup.settle(id).catch((error) => report(error, id))
      release()
    }
  }

  /** The agent's own work, in turn with operations of the same key. */
  async alone<T>(key: string, work: () => Promise<T>): Promise<T> {
    const release = await this.#locks.take(key)
    try {
      return await work()
    } finally {
      release()
    }
  }

  async #noteRefusal(id: string, fingerprint: string, error: unknown): Promise<void> {
    const { host, report } = this.#options
    const refusal = refusalOf(error, { at: host.clock.now(), fingerprint })
    if (refusal) await this.store.refuse(id, refusal).catch((fault) => report(fault, id))
  }

  async #stop(id: string, force: boolean): Promise<boolean> {
    this.#executions.get(id)?.session.stop(cancelledError(), force)
    if (this.#operations.get(id)?.ended) return true
    // For the next process of the agent, if this one ends meanwhile.
    const noted = this.store.cancel(id, this.#options.host.clock.now())
    await noted.catch((error) => this.#options.report(error, id))
    return this.#operations.get(id)?.ended ?? false
  }

  async #start<N extends CommandName>(
    name: N,
    params: ParamsOf<N>,
    id: string,
    fingerprint: string,
  ): Promise<Operation> {
    const { host, commands, log } = this.#options
    const stored = COMMANDS[name].changes
    const limits = this.#limitsOf(name)
    const kept = stored ? { store: this.store } : {}
    const operation = new Operation(id, fingerprint, { ...kept, limits, clock: host.clock })
    const command: Command<N> = commands[name]
    let key: string | undefined
    const ended = async () => {
      if (stored) await this.#cleanup.note(id, key)
    }
    const execution = this.#executionOf(operation, limits, ended)
    const accept = async () => {
      const created_at = host.clock.now()
      if (stored) await this.store.create({ id, command: name, params, fingerprint, created_at })
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
      throw blamingDisk(error)
    }
  }

  /** A refusal before the first line throws, and creates no operation. */
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

  async #leftOver(id: string): Promise<{ end: Promise<void> } | undefined> {
    const { host, commands } = this.#options
    const request = await this.store.request(id)
    if (!request) return undefined
    await this.store.mend(id)
    const events = await this.store.history(id)
    const limits = this.#limitsOf(request.command)
    const kept = { store: this.store, events }
    const operation = new Operation(id, request.fingerprint, { ...kept, limits, clock: host.clock })
    const key = await keyOf(commands, request, host)
    if (operation.ended) {
      await this.#cleanup.noteOld(request, key)
      return undefined
    }
    const execution = this.#executionOf(operation, limits, () => this.#cleanup.note(id, key))
    this.#operations.set(id, operation)
    const left = {
      request,
      journal: await this.store.journal(id),
      cancelled: (await this.store.cancelledAt(id)) !== undefined,
    }
    const begin = () => startWork(recovered(commands[request.command], left, { host, execution }))
    const end = execution.runAfter(this.#locks, key, begin)
    this.#track(execution, end)
    return { end }
  }

  #executionOf(operation: Operation, limits: Limits, ended: () => Promise<void>): Execution {
    const options = { ...this.#options, store: this.store, limits, ended }
    const execution = new Execution(operation, options)
    this.#executions.set(operation.id, execution)
    return execution
  }

  #track({ operation: { id } }: Execution, end: Promise<void>): void {
    void end.finally(() => {
      this.#executions.delete(id)
      setTimeout(() => this.#operations.delete(id), AT_HAND_MS).unref?.()
    })
  }
}

function digest(command: string, params: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([command, params]))
    .digest('hex')
}
