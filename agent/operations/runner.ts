import { createHash, randomBytes } from 'node:crypto'
import { COMMANDS, type CommandName, type ParamsOf } from '#shared/commands.ts'
import { conflict, forbidden, ServiceError } from '#shared/errors.ts'
import type { Command, Context, Progress } from '../commands/command.ts'
import { exclusiveByName } from '../host/exclusive.ts'
import type { Host } from '../host/ports.ts'
import { Locks } from './locks.ts'
import { Operation } from './operation.ts'
import { performSteps } from './steps.ts'
import { OperationStore } from './store.ts'

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
    if (COMMANDS[command].changes && !this.#options.host.privileged) {
      throw forbidden('The agent must run as root to change this server')
    }
    const fingerprint = digest(command, params)
    return this.#byId(id, async () => {
      const known = await this.find(id)
      if (known && known.fingerprint !== fingerprint) {
        throw conflict(`Operation ${id} was started with other parameters`)
      }
      return known
        ? this.#resumed(command, params, known)
        : this.#start(command, params, id, fingerprint)
    })
  }

  /** A running or an ended operation. */
  async find(id: string): Promise<Operation | undefined> {
    const running = this.#operations.get(id)
    if (running) return running
    const request = await this.store.request(id)
    if (!request) return undefined
    return new Operation(id, request.fingerprint, undefined, await this.store.events(id))
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
    const command: Command<N> = commands[name]
    const context = this.#contextOf(id)
    const accept = async () => {
      const created_at = host.clock.now()
      if (stored) await this.store.create({ id, command: name, params, fingerprint, created_at })
      this.#operations.set(id, operation)
      this.#options.tell?.('operation begins', { operation_id: id, command: name })
    }
    const key = stored ? await command.lock(params, host) : undefined
    const begin = () => begun(command.run(params, context))
    if (this.#locks.free(key)) {
      const release = await this.#locks.take(key)
      try {
        const first = await begin()
        await accept()
        void this.#finish(operation, first).finally(release)
      } catch (error) {
        release()
        throw error
      }
    } else {
      await accept()
      await operation.log('Waiting for another operation to end')
      void this.#locks.take(key).then((release) => this.#late(operation, begin).finally(release))
    }
    return operation
  }

  /** Takes up, once, an operation that was to outlive a restart of the agent. */
  async #resumed<N extends CommandName>(name: N, params: ParamsOf<N>, known: Operation) {
    const { id, fingerprint } = known
    const command: Command<N> = this.#options.commands[name]
    const resume = command.resume?.bind(command)
    if (known.ended || this.#operations.has(id) || !resume) return known
    await this.store.mend(id)
    const operation = new Operation(id, fingerprint, this.store, await this.store.events(id))
    this.#operations.set(id, operation)
    void this.#late(operation, () => begun(resume(params, this.#contextOf(id))))
    return operation
  }

  #contextOf(id: string): Context {
    const { host } = this.#options
    return {
      host,
      perform: (steps) => performSteps(steps, (entry) => this.store.addEntry(id, entry)),
    }
  }

  async #late(operation: Operation, begin: () => Promise<Work>): Promise<void> {
    try {
      await this.#finish(operation, await begin())
    } catch (error) {
      await this.#failed(operation, error)
    }
  }

  async #finish(operation: Operation, { next, work }: Work): Promise<void> {
    try {
      let step = next
      while (!step.done) {
        await operation.log(step.value)
        step = await work.next()
      }
      await operation.complete({ ...step.value })
      this.#options.tell?.('operation completes', { operation_id: operation.id })
    } catch (error) {
      await this.#failed(operation, error)
    } finally {
      this.#forgetLater(operation)
    }
  }

  async #failed(operation: Operation, error: unknown): Promise<void> {
    this.#options.report(error, operation.id)
    await operation.fail(shown(error)).catch((fault) => this.#options.report(fault, operation.id))
  }

  /** Ended operations stay at hand for a while; stored ones are found on the disk afterwards. */
  #forgetLater({ id }: Operation): void {
    setTimeout(() => this.#operations.delete(id), 60_000).unref?.()
  }
}

async function begun(work: Progress<object>): Promise<Work> {
  return { next: await work.next(), work }
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
