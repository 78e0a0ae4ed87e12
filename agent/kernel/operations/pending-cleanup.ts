import type { Host } from '#agent/kernel/host/ports.ts'
import { isDiskFull } from '#agent/kernel/host/storage.ts'
import type { CommandTable, Progress, Step } from '#agent/kernel/steps/command.ts'
import { resultOf } from '#agent/kernel/steps/progress.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import { contractOf } from '#shared/contracts.ts'
import { isTerminal } from '#shared/kernel/sse.ts'
import type { JournalEntry, OperationRequest } from './records.ts'
import {
  finishSteps,
  isDecided,
  type Journal,
  startedSteps,
  stepsAfter,
  undoSteps,
} from './steps.ts'
import type { OperationStore } from './store.ts'

type LockKey = string | undefined
/** The started steps to undo, or the missing steps after the point of no return. */
type UnfinishedWork = { undo: Step[] } | { finish: readonly Step[] }

interface CleanupDeps {
  host: Host
  commands: CommandTable
  store: OperationStore
}

/**
 * The unfinished work of ended operations, usually because of a full disk: undos of failed ones,
 * and steps after the point of no return. It is done later, before any other work with the same
 * key. The journals describe it.
 */
export class PendingCleanup {
  readonly #means: CleanupDeps
  readonly #known = new Map<string, LockKey>()

  constructor(means: CleanupDeps) {
    this.#means = means
  }

  get known(): readonly (readonly [id: string, key: LockKey])[] {
    return [...this.#known]
  }

  /** Records the unfinished work of an ended operation. The caller holds its key. */
  async note(id: string, key: LockKey): Promise<void> {
    if (await this.#restOf(id)) this.#known.set(id, key)
    else await this.#forget(id)
  }

  /** Records it after a restart. Work that a later operation followed stays as it is. */
  async noteOld(request: OperationRequest, key: LockKey): Promise<void> {
    const { id } = request
    if ((await this.#restOf(id)) && !(await this.#isFollowed(request, key))) {
      this.#known.set(id, key)
    } else await this.#forget(id)
  }

  /** Retries the work, and returns the reason of a failure. The caller holds the key. */
  async settle(id: string): Promise<string | undefined> {
    if (!this.#known.has(id)) return undefined
    const rest = await this.#restOf(id)
    const { store } = this.#means
    const journal = {
      write: (entry: JournalEntry) => store.addEntry(id, entry),
      makeRoom: () => store.reserve.give(),
    }
    const reason = rest && (await resultOf(finishWork(rest, journal)))
    if (reason === undefined) await this.note(id, this.#known.get(id))
    return reason
  }

  /**
   * Retries it before other work with the key, which the caller holds. Throws while the disk is
   * full; other obstacles are left for an administrator, as reported.
   */
  async clear(key: LockKey): Promise<void> {
    const same = this.known.filter(([, other]) => key !== undefined && other === key)
    for (const [id] of same) {
      const reason = await this.settle(id)
      if (isDiskFull(reason))
        throw new Error(`An earlier operation is not cleaned up yet: ${reason}`)
      await this.#forget(id)
    }
  }

  /** Forgets the work; an operation without a stored end is handled at the next start. */
  async #forget(id: string): Promise<void> {
    const { store } = this.#means
    this.#known.delete(id)
    if ((await store.events(id)).some(isTerminal)) await store.markEnded(id)
  }

  /** Returns the unfinished work; none for one without a plan, as of a removed site. */
  #restOf(id: string): Promise<UnfinishedWork | undefined> {
    return this.#readRest(id).catch(() => undefined)
  }

  async #readRest(id: string): Promise<UnfinishedWork | undefined> {
    const { host, commands, store } = this.#means
    const request = await store.request(id)
    if (!request) return undefined
    const steps = await stepsOf(commands, request, host)
    const journal = await store.journal(id)
    const started = startedSteps(steps, journal)
    if (await isDecided(started, journal)) {
      const finish = unfinished(steps, journal)
      return finish.length > 0 ? { finish } : undefined
    }
    const undo = started.filter((step) => step.undo).map((step) => withoutEntry(step, journal))
    return undo.length > 0 && !(await this.#isComplete(id)) ? { undo } : undefined
  }

  async #isComplete(id: string): Promise<boolean> {
    return (await this.#means.store.events(id)).some(({ event }) => event === 'complete')
  }

  async #isFollowed({ id, created_at }: OperationRequest, key: LockKey): Promise<boolean> {
    const { host, commands, store } = this.#means
    for (const other of await store.ids()) {
      const request = other === id ? undefined : await store.request(other)
      if (!request || request.created_at < created_at) continue
      if ((await keyOf(commands, request, host)) === key) return true
    }
    return false
  }
}

/**
 * Returns the steps to repeat: not those that are done or skipped at last, since later operations
 * may have followed them, but those that began again or were undone.
 */
function unfinished(steps: readonly Step[], journal: readonly JournalEntry[]): Step[] {
  const last = new Map(journal.map(({ step, state }) => [step, state]))
  const isOver = (state: JournalEntry['state'] | undefined) =>
    state === 'done' || state === 'skipped'
  return stepsAfter(steps).filter(({ name }) => !isOver(last.get(name)))
}

/** Returns the step as one whose undo writes its beginning only if the journal lacks that. */
function withoutEntry({ decided, ...step }: Step, journal: readonly JournalEntry[]): Step {
  const last = journal.findLast((entry) => entry.step === step.name)
  return last?.state === 'undoing' || !decided ? step : { ...step, decided }
}

async function* finishWork(rest: UnfinishedWork, journal: Journal): Progress<string | undefined> {
  if ('finish' in rest) return yield* finishSteps(rest.finish, journal)
  const left = yield* undoSteps(rest.undo, journal)
  return left.length > 0 ? left.join('; ') : undefined
}

async function stepsOf<N extends CommandName>(
  commands: CommandTable,
  request: OperationRequest,
  host: Host,
): Promise<readonly Step[]> {
  const command = await commands[request.command as N]()
  const params = await paramsOf<N>(request)
  return (params && (await command.steps?.(params, host, request.created_at))) ?? []
}

/** Returns the lock key; work without one concerns nobody else. */
export async function keyOf<N extends CommandName>(
  commands: CommandTable,
  request: OperationRequest,
  host: Host,
): Promise<string | undefined> {
  const command = await commands[request.command as N]()
  const params = await paramsOf<N>(request)
  return params && command.lock(params, host)
}

async function paramsOf<N extends CommandName>(
  request: OperationRequest,
): Promise<ParamsOf<N> | undefined> {
  const contract = await contractOf(request.command)
  // The table ties the schema to the command by name, which the compiler cannot follow here.
  return contract.params.safeParse(request.params).data as ParamsOf<N> | undefined
}
