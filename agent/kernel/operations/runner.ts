import { createHash, randomBytes } from 'node:crypto'
import { exclusiveByName } from '#agent/kernel/host/exclusive-by-name.ts'
import { withDiskAdvice } from '#agent/kernel/host/storage.ts'
import type { Command, Step } from '#agent/kernel/steps/command.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import { contractOf } from '#shared/contracts.ts'
import {
  type AgentOperation,
  type AgentOperations,
  MAX_AGENT_OPERATIONS,
} from '#shared/kernel/agent-operations.ts'
import { conflict, forbidden } from '#shared/kernel/errors.ts'
import type { Effect, Plan } from '#shared/kernel/plan.ts'
import { presentable } from './execution.ts'
import { Executions, type ExecutionsOptions } from './executions.ts'
import { Locks } from './locks.ts'
import type { Operation } from './operation.ts'
import { PendingCleanup } from './pending-cleanup.ts'
import type { OperationRequest } from './records.ts'
import { errorOfRefusal, refusalOf } from './refusal.ts'
import { OperationStore } from './store.ts'

export interface RunnerOptions extends ExecutionsOptions {
  /** The maximum number of concurrent operations that change this server. */
  places?: number
}

/** Starts operations, finds them by their id, and runs each to its single terminal event. */
export class Runner {
  readonly store: OperationStore
  readonly #options: RunnerOptions
  readonly #byId = exclusiveByName()
  readonly #locks: Locks
  readonly #cleanup: PendingCleanup
  readonly #executions: Executions

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#locks = new Locks(options.places ?? 4)
    this.store = new OperationStore(options.host.files, options.host.settings.state_dir)
    this.#cleanup = new PendingCleanup({ ...options, store: this.store })
    const shared = { store: this.store, locks: this.#locks, cleanup: this.#cleanup }
    this.#executions = new Executions(options, shared)
  }

  /**
   * Starts a command, or attaches to the operation with this id. A refused id is refused always: a
   * late message must not run work that nobody waits for any more. Throws errors of the command's
   * checks before its first line (nothing was changed then), conflict when the id belongs to other
   * work, and forbidden when the agent is not root. A request without a secret that this server does
   * not have creates no operation, so that the same request may come with it.
   */
  async start<N extends CommandName>(
    command: N,
    params: ParamsOf<N>,
    given?: string,
  ): Promise<Operation> {
    const id = given ?? randomBytes(16).toString('base64url')
    const fingerprint = digest(command, params)
    return this.#byId(id, async () => {
      const { changes } = await contractOf(command)
      this.#refuseUnprivileged(changes)
      const known = await this.find(id)
      const refusal = known ? undefined : await this.store.refusal(id)
      const before = known?.fingerprint ?? refusal?.fingerprint
      if (before !== undefined && before !== fingerprint) {
        throw conflict(`Operation ${id} was started with other parameters`)
      }
      if (refusal) throw errorOfRefusal(refusal)
      if (known) return known
      const complete = await this.#withSecrets(command, params)
      return this.#executions
        .start(command, complete, id, fingerprint)
        .catch(async (error: unknown) => {
          if (given !== undefined && changes) await this.#noteRefusal(id, fingerprint, error)
          throw error
        })
    })
  }

  /** Returns the plan of `start` without a change or wait. Throws the errors of `start`. */
  async plan<N extends CommandName>(name: N, params: ParamsOf<N>): Promise<Plan> {
    this.#refuseUnprivileged((await contractOf(name)).changes)
    const { host, commands } = this.#options
    const command: Command<N> = await commands[name]()
    try {
      return await planOf(await command.plan(params, host))
    } catch (error) {
      throw presentable(error)
    }
  }

  async #withSecrets<N extends CommandName>(name: N, params: ParamsOf<N>): Promise<ParamsOf<N>> {
    const { host, commands } = this.#options
    const command: Command<N> = await commands[name]()
    return (await command.withSecrets?.(params, host)) ?? params
  }

  #refuseUnprivileged(changes: boolean): void {
    if (!changes || this.#options.host.privileged) return
    throw forbidden('The agent must run as root to change this server')
  }

  find(id: string): Promise<Operation | undefined> {
    return this.#executions.find(id)
  }

  isBusy(key: string): boolean {
    return this.#locks.holds(key)
  }

  /** Returns the operations since a time. */
  since(time: number): Promise<AgentOperations> {
    return listSince(this.store, time)
  }

  /** Returns the params of the operations of a command that run or wait for their turn. */
  unended<N extends CommandName>(command: N): Promise<ParamsOf<N>[]> {
    return this.#executions.paramsOf(command)
  }

  /** Cancels an operation, or an unknown one once it arrives. Returns true if it has ended. */
  async cancel(id: string, force: boolean): Promise<boolean> {
    if (this.#executions.has(id)) return this.#executions.stop(id, force)
    return this.#byId(id, async () => {
      const known = await this.find(id)
      if (known) return known.ended || this.#executions.stop(id, force)
      await this.store.cancel(id, this.#options.host.clock.now()).catch((error) => {
        throw withDiskAdvice(error)
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
      const left = await this.#executions
        .resume(id)
        .catch((error) => this.#options.report(error, id))
      if (left) ends.push(left.end)
    }
    ends.push(this.settle())
    return { ended: Promise.all(ends) }
  }

  /** Retries the unfinished work of ended operations, each in turn. Never throws. */
  async settle(): Promise<void> {
    const { report } = this.#options
    for (const [id, key] of this.#cleanup.known) {
      const release = await this.#locks.take(key)
      await this.#cleanup.settle(id).catch((error) => report(error, id))
      release()
    }
  }

  /** Runs the agent's own work, in turn with operations of the same key. */
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
}

function digest(command: string, params: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([command, params]))
    .digest('hex')
}

/** Returns the steps that would run, without those already done. Changes nothing. */
export async function planOf(steps: readonly Step[]): Promise<Plan> {
  const plan: Plan = { steps: [] }
  const made = new Set<string>()
  for (const step of steps) {
    if (await step.check?.()) continue
    const effects = (await effectsOf(step)).flatMap((effect) => effectAfter(made, effect))
    const notes = [...((await step.notes?.()) ?? [])]
    plan.steps.push({
      name: step.name,
      title: step.title,
      effects,
      ...(notes.length > 0 && { notes }),
    })
  }
  return plan
}

/** Returns the effects; one that must be accepted replaces the same effect without consent. */
async function effectsOf({ effects, imposes }: Step): Promise<readonly Effect[]> {
  const plain = typeof effects === 'function' ? await effects() : effects
  const imposed = (await imposes?.()) ?? []
  const keyOf = ({ action, kind, name }: Effect) => `${action} ${kind} ${name}`
  const keys = new Set(imposed.map(keyOf))
  return [...imposed, ...plain.filter((effect) => !keys.has(keyOf(effect)))]
}

/** Returns the effect after earlier steps: a step may change a file of an earlier one. */
function effectAfter(made: Set<string>, effect: Effect): Effect[] {
  const key = `${effect.kind} ${effect.name}`
  if (effect.action !== 'create') return [effect]
  if (made.has(key)) return effect.kind === 'file' ? [{ ...effect, action: 'change' }] : []
  made.add(key)
  return [effect]
}

const MAX_DOMAIN = 253

/**
 * Returns the operations that were requested since a time, the newest first, for a dashboard whose
 * records are older than that. Params and results stay here: they may contain secrets.
 */
export async function listSince(
  store: Pick<OperationStore, 'ids' | 'request' | 'events'>,
  since: number,
): Promise<AgentOperations> {
  const found: OperationRequest[] = []
  for (const id of await store.ids()) {
    const request = await store.request(id)
    if (request && request.created_at >= since) found.push(request)
  }
  const newest = found
    .toSorted((one, other) => other.created_at - one.created_at)
    .slice(0, MAX_AGENT_OPERATIONS)
  const operations: AgentOperation[] = []
  for (const { id, command, params, created_at } of newest) {
    const last = (await store.events(id)).at(-1)?.event
    const end = last === 'complete' || last === 'error' ? last : null
    operations.push({ id, command, domain: domainIn(params), created_at, end })
  }
  return { operations, total: found.length }
}

function domainIn(params: unknown): string {
  const { domain } = Object(params)
  return typeof domain === 'string' ? domain.slice(0, MAX_DOMAIN) : ''
}
