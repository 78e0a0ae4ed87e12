import type { Host } from '#agent/kernel/host/ports.ts'
import type { CommandName, ParamsOf, ResultOf } from '#shared/commands.ts'
import { contractOf } from '#shared/contracts.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { type Need, refuseUnmet } from '#shared/kernel/needs.ts'
import { type Effect, unacceptedMessage } from '#shared/kernel/plan.ts'
import type { StepChange } from '#shared/kernel/steps.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { resultOf } from './progress.ts'

/** Work that reports while it runs: yields log lines and changes of its steps, returns the result. */
export type Progress<R> = AsyncGenerator<string | StepChange, R>

/**
 * One change of an operation. The journal has the intent before `apply`, so that `undo` also runs
 * for an interrupted step, in this process or the next one.
 */
export interface Step {
  /** A stable name, which identifies the step in the journal. */
  name: string
  /** The log line, in the present participle: `Creating the database`. */
  title: string
  /** Everything that `apply` creates, changes, removes and runs; depends on the machine. */
  effects: readonly Effect[] | (() => Promise<readonly Effect[]>)
  /** Changes of foreign objects with the consent that each needs, before which none is made. */
  imposes?(): Promise<readonly Effect[]>
  /** Returns notes about its outcome, in sentences. */
  notes?(): Promise<readonly string[]>
  /** Returns true when it exists already and is not ours: it is neither applied nor undone. */
  check?(): Promise<boolean>
  apply(): Promise<void> | Progress<void>
  /** Undoes none, a part or all of `apply`. */
  undo?(): Promise<void>
  /**
   * True when it keeps what the undo of later steps needs. It is only undone after all of them, if
   * necessary in a later attempt: otherwise a failed undo would lose what it restores.
   */
  holds?: true
  /**
   * Only on the point of no return: returns whether the machine is past it. From then on nothing is
   * undone: the steps after it run, if necessary in the next process, and so must be repeatable.
   */
  decided?(): Promise<boolean>
}

export type Warn = (warning: Warning) => void

/** Work between steps that changes nothing: it reports, or refuses to continue. */
interface ReportLine {
  line(): Progress<void> | Promise<void>
}

/** A part of a list of steps. A nested list is made when it is reached, after earlier steps. */
type ListItem = Step | ReportLine | NestedList
export type StepList = readonly ListItem[]
type MakeList = () => StepList | Promise<StepList>

/**
 * `then` and `later` belong to the steps around them: one undo, one decision. `ready` prepares the
 * server and is never undone for the command. `after` follows the decision: its failure does not
 * undo the command.
 */
interface NestedList {
  nested: 'ready' | 'then' | 'later' | 'after'
  make: MakeList
  recheck?: (() => Promise<void>) | undefined
  cutOff?: (() => Promise<readonly Warning[]>) | undefined
}

/** Returns a nested list, which the plan and the announcement show as it would be now. */
export const andThen = (make: MakeList): NestedList => ({ nested: 'then', make })

/** Returns a nested list that is not announced before: it is known after the lines before it. */
export const later = (make: MakeList): NestedList => ({ nested: 'later', make })

/** `recheck` refuses what the new state of the server no longer allows; it runs after any change. */
export const ready = (make: MakeList, recheck?: () => Promise<void>): NestedList => ({
  nested: 'ready',
  make,
  recheck,
})

/** `cutOff` returns warnings about what a restart left out, and makes sure that it is retried. */
export const after = (make: MakeList, cutOff?: () => Promise<readonly Warning[]>): NestedList => ({
  nested: 'after',
  make,
  cutOff,
})

/** Returns a line of text, or work that yields lines. */
export const line = (text: string | ReportLine['line']): ReportLine => ({
  line: typeof text === 'string' ? () => yieldText(text) : text,
})

async function* yieldText(text: string): Progress<void> {
  yield text
}

export interface RunContext {
  host: Host
  /** Announces the steps of later calls of `perform`, in order, for viewers of the operation. */
  announce(steps: readonly Step[]): void
  /**
   * Runs the steps in order; when one throws, undoes the started ones, newest first, and rethrows.
   * After the decision it stops instead, and returns the obstacle.
   */
  perform(list: StepList): Progress<string | undefined>
  /** Warns that a requested part is missing although the operation succeeds. */
  warn: Warn
}

/** The key of the whole server: it excludes all other keys. */
export const WHOLE_SERVER = '*'

/** The key of a result that later steps need. `missing` is the error if no step has given it. */
export interface StepResult<T> {
  missing: string
  /** Only ties the type for the compiler. */
  type?: T
}

export const stepResult = <T>(missing: string): StepResult<T> => ({ missing })

export interface StepResults {
  /** Returns the work of a step, whose result later steps and the result of the command may use. */
  gives<T>(value: StepResult<T>, work: () => Promise<T> | Progress<T>): () => Progress<void>
  /** Throws if no step of this process has given it. */
  get<T>(value: StepResult<T>): T
  find<T>(value: StepResult<T>): T | undefined
}

/** One run of a command, or one plan of it. */
export type CommandRun<N extends CommandName, S> = S &
  StepResults & { params: ParamsOf<N>; host: Host; warn: Warn }

/** The definition of a command: everything else follows from its list of steps. */
export interface CommandDefinition<N extends CommandName, S extends object> {
  lock: Command<N>['lock']
  withSecrets?: Command<N>['withSecrets']
  /** Returns the subject of the command. Throws everything that refuses it; changes nothing. */
  check?(params: ParamsOf<N>, host: Host): Promise<S>
  /**
   * The same after a restart of the agent, without a refusal. Undefined: nothing is left that could
   * be undone or completed. Without it an interrupted operation is only reported. `since`: the time
   * of the request, which an older outcome does not answer.
   */
  find?(params: ParamsOf<N>, host: Host, since: number): Promise<S | undefined>
  /** All steps in order, for the plan, the announcement, the run, the undo and the recovery. */
  steps(job: CommandRun<N, S>): StepList | Promise<StepList>
  /** Reports an obstacle after the decision. */
  unfinished?(reason: string, job: CommandRun<N, S>): Progress<void> | void
  /** Returns the result, from the machine if a restart after the decision lost those of steps. */
  result(job: CommandRun<N, S>): ResultOf<N> | Promise<ResultOf<N>> | Progress<ResultOf<N>>
  /** `again`: after a restart all steps run again, and those that are done are skipped. */
  resume?: 'again' | NonNullable<Command<N>['resume']>
}

/** The needs of a contract; the compiler does not tie the params of a name to it. */
type ContractNeeds<N extends CommandName> = { needs?(params: ParamsOf<N>): Need | undefined }

/** A command as the runner uses it, made by `command` from its definition. */
export interface Command<N extends CommandName> {
  /** Two operations with the same key never run at once; undefined: it needs no lock. */
  lock(params: ParamsOf<N>, host: Host): string | undefined | Promise<string | undefined>
  /**
   * Returns the params with the secrets that this server has itself, before the request waits for
   * its lock. Throws conflict with `password_missing`: the same request may then come with the
   * secret.
   */
  withSecrets?: ((params: ParamsOf<N>, host: Host) => Promise<ParamsOf<N>>) | undefined
  /**
   * The steps as they would be after a restart, so that an interrupted operation can be undone.
   * `since`: the time of the request.
   */
  steps?(
    params: ParamsOf<N>,
    host: Host,
    since?: number,
  ): readonly Step[] | Promise<readonly Step[]>
  /**
   * All steps of `run`, in order. Changes nothing, and throws the errors that `run` throws before a
   * change.
   */
  plan(params: ParamsOf<N>, host: Host): Promise<readonly Step[]>
  /** After a restart: the result of an operation past its point of no return. */
  finished?(params: ParamsOf<N>, host: Host, since?: number): Promise<ResultOf<N> | undefined>
  /**
   * Returns, after a restart, for an operation that `finished` completes, warnings about missing
   * parts, as in `run`. Makes sure that they are retried.
   */
  missing?(params: ParamsOf<N>, host: Host, since?: number): Promise<readonly Warning[]>
  /**
   * Resumes an operation after a restart of the agent, in the next process: the restart neither
   * undoes nor ends it.
   */
  resume?: ((params: ParamsOf<N>, context: RunContext) => Progress<ResultOf<N>>) | undefined
  run(params: ParamsOf<N>, context: RunContext): Progress<ResultOf<N>>
}

/** The table of all commands, complete by its type. Each is loaded on first use. */
export type CommandTable = { readonly [N in CommandName]: () => Promise<Command<N>> }

/** Returns all steps of a list, with those that nested lists would have now. */
export async function stepsIn(
  list: StepList,
  made: (nested: NestedList) => StepList | Promise<StepList> = ({ make }) => make(),
): Promise<Step[]> {
  const steps: Step[] = []
  for (const item of list) {
    if ('nested' in item) steps.push(...(await stepsIn(await made(item), made)))
    else if ('apply' in item) steps.push(item)
  }
  return steps
}

/** Yields the items of a list; nested lists are made when they are reached. */
export async function* iterateList(list: StepList): AsyncGenerator<Step | ReportLine> {
  for (const item of list) {
    if ('nested' in item) yield* iterateList(await item.make())
    else yield item
  }
}

/** Steps with one undo and one decision, or an item that stands outside of them. */
type ListStage = StepList | ReportLine | NestedList

/** Splits a list: the steps of the command are one stage, with the lines between them. */
function stagesOf(list: StepList): ListStage[] {
  const isOwn = (item: ListItem) => 'apply' in item || ('nested' in item && isThen(item))
  const [first, last] = [list.findIndex(isOwn), list.findLastIndex(isOwn)]
  if (first < 0) return list.map(stageOf)
  const [before, own, rest] = [
    list.slice(0, first),
    list.slice(first, last + 1),
    list.slice(last + 1),
  ]
  return [...before.map(stageOf), own, ...rest.map(stageOf)]
}

const stageOf = (item: ListItem): ListStage => ('apply' in item ? [item] : item)
const isThen = ({ nested }: NestedList) => nested === 'then' || nested === 'later'

function newStepResults(): StepResults {
  const known = new Map<object, unknown>()
  return {
    gives: (value, work) =>
      async function* () {
        const begun = work()
        known.set(value, Symbol.asyncIterator in begun ? yield* begun : await begun)
      },
    get<T>(value: StepResult<T>) {
      if (!known.has(value)) throw new Error(value.missing)
      // `gives` ties the type of the result to its value.
      return known.get(value) as T
    },
    find: <T>(value: StepResult<T>) => known.get(value) as T | undefined,
  }
}

/** Makes a command from its definition: its plan, announcement, run, undo and recovery. */
export function command<N extends CommandName, S extends object = object>(
  name: N,
  definition: CommandDefinition<N, S>,
): Command<N> {
  const { lock, withSecrets, resume } = definition
  const jobOf = (subject: S, params: ParamsOf<N>, host: Host, warn: Warn = () => undefined) => ({
    ...subject,
    ...newStepResults(),
    params,
    host,
    warn,
  })
  const checked = async (params: ParamsOf<N>, host: Host): Promise<S> => {
    const { needs } = (await contractOf(name)) as ContractNeeds<N>
    refuseUnmet(needs?.(params), host)
    // Without a check there is no subject that `steps` could need.
    return (await definition.check?.(params, host)) ?? ({} as S)
  }
  /** The list of an operation of the previous process: its own stage, and what follows that. */
  const listOf = async (params: ParamsOf<N>, host: Host, since = 0) => {
    const subject = await definition.find?.(params, host, since)
    if (!subject) return undefined
    const job = jobOf(subject, params, host)
    return { job, list: await definition.steps(job) }
  }
  const undoable = async (params: ParamsOf<N>, host: Host, since?: number) => {
    const { list = [] } = (await listOf(params, host, since)) ?? {}
    return stepsIn(list, (nested) => (isThen(nested) ? nested.make() : []))
  }
  const made: Command<N> = {
    lock,
    withSecrets,
    steps: undoable,
    async plan(params, host) {
      return stepsIn(await definition.steps(jobOf(await checked(params, host), params, host)))
    },
    async finished(params, host, since) {
      const turning = (await undoable(params, host, since)).find(({ decided }) => decided)
      const left = (await turning?.decided?.()) && (await listOf(params, host, since))
      return left ? resultOf(progressOf(definition.result(left.job))) : undefined
    },
    async missing(params, host, since) {
      const { list = [] } = (await listOf(params, host, since)) ?? {}
      const warnings = list.map((item) => ('nested' in item ? item.cutOff?.() : undefined))
      return (await Promise.all(warnings)).flatMap((each) => each ?? [])
    },
    async *run(params, context) {
      const { host, warn } = context
      const job = jobOf(await checked(params, host), params, host, warn)
      const reason = yield* performList(await definition.steps(job), acceptedIn(params), context)
      if (reason !== undefined) yield* definition.unfinished?.(reason, job) ?? []
      return yield* progressOf(definition.result(job))
    },
  }
  if (resume === 'again') {
    return {
      ...made,
      async *resume(params, context) {
        yield 'The agent was restarted; continuing'
        return yield* made.run(params, context)
      },
    }
  }
  return resume ? { ...made, resume } : made
}

/** Returns the accepted changes of foreign objects; most commands need no consent. */
function acceptedIn(params: object): readonly string[] {
  return 'accept' in params && Array.isArray(params.accept) ? params.accept : []
}

async function* progressOf<R extends object>(work: R | Promise<R> | Progress<R>): Progress<R> {
  return Symbol.asyncIterator in work ? yield* work : await work
}

/** Performs the list; returns the obstacle after the decision. */
async function* performList(
  list: StepList,
  accept: readonly string[],
  { announce, perform }: RunContext,
): Progress<string | undefined> {
  /** The nested lists as they were announced: they are made again only after something has run. */
  const made = new Map<ListItem, StepList>()
  const steps = await stepsIn(list.slice(0, unknownFrom(list)), async (nested) => {
    const items = await nested.make()
    made.set(nested, items)
    return items
  })
  await refuseUnaccepted(steps, accept)
  announce(steps)
  let reason: string | undefined
  for (const stage of stagesOf(list)) {
    if ('line' in stage) yield* progressOf(stage.line())
    else if ('nested' in stage) {
      const items = made.get(stage) ?? (await stage.make())
      if (items.length === 0) continue
      yield* perform(items)
      await stage.recheck?.()
    } else reason = yield* perform(await withFirstList(stage, made))
    made.clear()
  }
  return reason
}

/** Returns the index of the first list that is known only after the lines before it. */
function unknownFrom(list: StepList): number {
  const place = list.findIndex((item) => 'nested' in item && item.nested === 'later')
  return place < 0 ? list.length : place
}

/** Makes the first list of a stage, so that its steps are announced before the first one runs. */
async function withFirstList(
  [first, ...others]: StepList,
  made: ReadonlyMap<ListItem, StepList>,
): Promise<StepList> {
  if (!first) return []
  if (!('nested' in first)) return [first, ...others]
  return [...(made.get(first) ?? (await first.make())), ...others]
}

/** Throws invalid on `accept` with all changes of foreign objects that nobody accepted. */
async function refuseUnaccepted(steps: readonly Step[], accept: readonly string[]): Promise<void> {
  const open: Effect[] = []
  for (const { imposes } of steps) {
    const changes = (await imposes?.()) ?? []
    open.push(...changes.filter(({ asks = '' }) => !accept.includes(asks)))
  }
  if (open.length > 0) throw invalid({ accept: [unacceptedMessage(open)] })
}
