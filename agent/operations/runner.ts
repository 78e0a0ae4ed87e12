import { createHash, randomBytes } from 'node:crypto'
import { COMMANDS, type CommandName, type ParamsOf } from '#shared/commands.ts'
import { CANCELLED, conflict, forbidden, ServiceError } from '#shared/errors.ts'
import type { Plan } from '#shared/plan.ts'
import type { Command, Context, Progress } from '../commands/command.ts'
import { exclusiveByName } from '../host/exclusive.ts'
import type { Host } from '../host/ports.ts'
import { Locks } from './locks.ts'
import { Operation } from './operation.ts'
import { planOf } from './plan.ts'
import { Session } from './session.ts'
import { performSteps } from './steps.ts'
import { type JournalEntry, OperationStore } from './store.ts'

/** The implementations, one for each contract. */
export type CommandTable = { [N in CommandName]: Command<N> }

export interface RunnerOptions {
  host: Host
  commands: CommandTable
  /** How many operations may change this server at the same time. */
  places?: number
  /** Unforeseen errors, whose text no client sees. */
  report: (error: unknown, operation_id: string) => void
  /** That an operation begins, and how it ends. */
  tell?: (message: string, facts: { operation_id: string; command?: string }) => void
}

type Work = { next: IteratorResult<string, object>; work: Progress<object> }

/** Starts operations, finds them again by their id, and sees each one to its single terminal event. */
export class Runner {
  readonly store: OperationStore
  readonly #options: RunnerOptions
  readonly #operations = new Map<string, Operation>()
  /** Those that have no end yet, also before they are accepted. */
  readonly #sessions = new Map<string, Session>()
  readonly #byId = exclusiveByName()
  readonly #locks: Locks

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#locks = new Locks(options.places ?? 4)
    this.store = new OperationStore(options.host.files, options.host.settings.state_dir)
  }

  /**
   * Starts a command, or attaches to the operation of this id when it was started before.
   *
   * Throws what the command's own checks throw before its first line (nothing was done then),
   * conflict when the id belongs to other work, and forbidden when the agent is not root.
   */
  async start<N extends CommandName>(
    command: N,
    params: ParamsOf<N>,
    id = randomBytes(16).toString('base64url'),
  ): Promise<Operation> {
    this.#refuseUnprivileged(command)
    const fingerprint = digest(command, params)
    return this.#byId(id, async () => {
      const known = await this.find(id)
      if (known?.fingerprint !== undefined && known.fingerprint !== fingerprint) {
        throw conflict(`Operation ${id} was started with other parameters`)
      }
      return known
        ? this.#resumed(command, params, known)
        : this.#start(command, params, id, fingerprint)
    })
  }

  /**
   * What `start` would do now, without doing it: nothing is stored and nothing changed, and no lock
   * is waited for. Throws what `start` throws.
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

  /** A running or an ended operation. */
  async find(id: string): Promise<Operation | undefined> {
    const running = this.#operations.get(id)
    if (running) return running
    const request = await this.store.request(id)
    if (request) {
      return new Operation(id, request.fingerprint, undefined, await this.store.events(id))
    }
    const cancelled = (await this.store.cancelledAt(id)) !== undefined
    return cancelled ? Operation.cancelled(id) : undefined
  }

  /**
   * Ends an operation before its time, and one that is not known yet as soon as it comes. True: it
   * has its end already. Past its point of no return it goes on to its own end.
   */
  async cancel(id: string, force: boolean): Promise<boolean> {
    if (this.#sessions.has(id)) return this.#stop(id, force)
    return this.#byId(id, async () => {
      const known = await this.find(id)
      if (known) return known.ended || this.#stop(id, force)
      await this.store.cancel(id, this.#options.host.clock.now())
      return true
    })
  }

  async #stop(id: string, force: boolean): Promise<boolean> {
    this.#sessions.get(id)?.stop(conflict(CANCELLED), force)
    if (this.#operations.get(id)?.ended) return true
    // For the next process of the agent, should this one end meanwhile.
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
    const { host, commands } = this.#options
    const stored = COMMANDS[name].changes
    const operation = new Operation(id, fingerprint, stored ? this.store : undefined)
    const session = this.#sessionOf(id)
    const command: Command<N> = commands[name]
    const accept = async () => {
      const created_at = host.clock.now()
      if (stored) await this.store.create({ id, command: name, params, fingerprint, created_at })
      this.#operations.set(id, operation)
      this.#options.tell?.('operation begins', { operation_id: id, command: name })
    }
    const begin = () => begun(command.run(params, this.#contextOf(id, session)))
    try {
      const key = stored ? await command.lock(params, host) : undefined
      if (!this.#locks.free(key)) {
        await accept()
        await operation.log('Waiting for another operation to end')
        void this.#late(operation, session, key, begin)
        return operation
      }
      const release = await this.#locks.take(key, session.signal)
      try {
        const first = await begin()
        await accept()
        void this.#finish(operation, session, first).finally(release)
      } catch (error) {
        release()
        throw error
      }
      return operation
    } catch (error) {
      this.#sessions.delete(id)
      if (session.reason) return Operation.cancelled(id, fingerprint)
      throw error
    }
  }

  /** Takes up, once, an operation that was to outlive a restart of the agent. */
  async #resumed<N extends CommandName>(name: N, params: ParamsOf<N>, known: Operation) {
    const { id, fingerprint } = known
    const command: Command<N> = this.#options.commands[name]
    const resume = command.resume?.bind(command)
    if (known.ended || this.#operations.has(id) || !resume) return known
    await this.store.mend(id)
    const operation = new Operation(id, fingerprint, this.store, await this.store.events(id))
    const session = this.#sessionOf(id)
    this.#operations.set(id, operation)
    const key = await command.lock(params, this.#options.host)
    const again = () => begun(resume(params, this.#contextOf(id, session)))
    void this.#late(operation, session, key, again)
    return operation
  }

  #sessionOf(id: string): Session {
    const session = new Session(this.#options.host, id)
    this.#sessions.set(id, session)
    return session
  }

  #contextOf(id: string, session: Session): Context {
    const write = (entry: JournalEntry) => this.store.addEntry(id, entry)
    return { host: session.host, perform: (steps) => performSteps(steps, write, session) }
  }

  async #late(
    operation: Operation,
    session: Session,
    key: string | undefined,
    begin: () => Promise<Work>,
  ): Promise<void> {
    let release: () => void = () => undefined
    try {
      release = await this.#locks.take(key, session.signal)
      await this.#finish(operation, session, await begin())
    } catch (error) {
      await this.#failed(operation, session, error)
    } finally {
      release()
    }
  }

  async #finish(operation: Operation, session: Session, { next, work }: Work): Promise<void> {
    try {
      let step = next
      while (!step.done) {
        await operation.log(step.value)
        step = await work.next()
      }
      await operation.complete({ ...step.value })
      this.#options.tell?.('operation completes', { operation_id: operation.id })
      this.#forgetLater(operation)
    } catch (error) {
      await this.#failed(operation, session, error)
    }
  }

  async #failed(operation: Operation, session: Session, error: unknown): Promise<void> {
    await session.undoing()
    const reason = told(session.reason, error)
    this.#options.report(reason, operation.id)
    await operation.fail(shown(reason)).catch((fault) => this.#options.report(fault, operation.id))
    this.#forgetLater(operation)
  }

  /** Ended operations stay at hand for a while; stored ones are found on the disk afterwards. */
  #forgetLater({ id }: Operation): void {
    this.#sessions.delete(id)
    void this.#options.host.programs.forget(id).catch((fault) => this.#options.report(fault, id))
    setTimeout(() => this.#operations.delete(id), 60_000).unref?.()
  }
}

async function begun(work: Progress<object>): Promise<Work> {
  return { next: await work.next(), work }
}

/** Why an operation was ended counts, and not what broke because of that. */
function told(reason: ServiceError | undefined, error: unknown): unknown {
  const says = error instanceof Error ? error.message : ''
  return reason && !says.startsWith(reason.message) ? reason : error
}

/** The machine's own words are what a failed operation needs; they are never a secret (ports.ts). */
function shown(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error
  return new ServiceError('internal', { message: error.message, cause: error })
}

function digest(command: string, params: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([command, params]))
    .digest('hex')
}
