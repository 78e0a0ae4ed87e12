import { isDiskFull } from '#agent/kernel/host/storage.ts'
import {
  iterateList,
  type Progress,
  type Step,
  type StepList,
  stepsIn,
} from '#agent/kernel/steps/command.ts'
import { messageOf, notUndone, ServiceError } from '#shared/kernel/errors.ts'
import type { Session } from './cancellable-host.ts'
import type { JournalEntry } from './records.ts'
import { StepStates } from './step-states.ts'

type WriteEntry = (entry: JournalEntry) => Promise<void>
type SessionStages = Pick<Session, 'check' | 'decided' | 'undoing' | 'reason' | 'makeRoom'>

export interface Journal {
  write: WriteEntry
  /** Releases reserved disk space for the undo; returns false if none is left. */
  makeRoom(): Promise<boolean>
  states?: StepStates
}

/** The stages of steps that cannot be cancelled. */
const NOT_CANCELLABLE: SessionStages = {
  reason: undefined,
  check: async () => undefined,
  decided: async () => undefined,
  undoing: async () => undefined,
  makeRoom: async () => false,
}

/**
 * Runs the steps in order. When one throws, undoes the started ones, newest first, and rethrows;
 * after the decision it stops instead, and returns the obstacle.
 */
export async function* performSteps(
  list: StepList,
  write: WriteEntry,
  stages = NOT_CANCELLABLE,
  states = new StepStates(),
): Progress<string | undefined> {
  const started: Step[] = []
  let current: Step | undefined
  states.announce(list.filter((item) => 'apply' in item))
  try {
    for await (const item of iterateList(list)) {
      current = undefined
      await stages.check()
      if ('line' in item) yield* progressOfWork(item.line())
      else {
        current = item
        yield* runStep(item, started, { write, stages, states })
      }
    }
    return undefined
  } catch (error) {
    if (current) states.set(current, 'failed')
    const journal = { write, makeRoom: () => stages.makeRoom(), states }
    if (!(await isDecided(started))) return yield* undoAndThrow(started, journal, stages, error)
    await stages.decided()
    // Past the point of no return a cancelled operation continues.
    if (stages.reason) return yield* finishSteps(await stepsIn(list), journal)
    yield* states.news()
    yield `Failed: ${messageOf(error)}`
    return messageOf(error)
  }
}

interface StepDeps {
  write: WriteEntry
  stages: SessionStages
  states: StepStates
}

async function* runStep(
  step: Step,
  started: Step[],
  { write, stages, states }: StepDeps,
): Progress<void> {
  if (await step.check?.()) {
    states.set(step, 'skipped')
    yield* states.news()
    // Otherwise it would count as unfinished, and run when its check finds another state later.
    await write({ step: step.name, state: 'skipped' }).catch(() => undefined)
    return
  }
  states.set(step, 'running')
  yield* states.news()
  yield step.title
  await write({ step: step.name, state: 'intent' })
  started.push(step)
  yield* progressOfWork(step.apply())
  // Written for readers of the journal: the undo depends on the intents alone.
  await write({ step: step.name, state: 'done' }).catch(() => undefined)
  if (await step.decided?.()) await stages.decided()
  states.set(step, 'done')
  yield* states.news()
}

async function* undoAndThrow(
  started: readonly Step[],
  journal: Required<Journal>,
  stages: SessionStages,
  error: unknown,
): Progress<never> {
  await stages.undoing()
  const cause = stages.reason ?? error
  yield* journal.states.news()
  yield stages.reason ? messageOf(cause) : `Failed: ${messageOf(cause)}`
  throw withNotUndone(cause, yield* undoSteps(started, journal))
}

/**
 * Undoes the started steps, newest first, each as far as possible; returns the failures. A step that
 * holds what later ones need stays until they are undone.
 */
export async function* undoSteps(
  started: readonly Step[],
  { write, makeRoom, states = new StepStates() }: Journal,
): Progress<string[]> {
  const left: string[] = []
  for (const step of started.toReversed()) {
    if (step.decided) await write({ step: step.name, state: 'undoing' }).catch(() => undefined)
    if (!step.undo) continue
    if (step.holds && left.length > 0) {
      states.set(step, 'not_undone')
      yield* states.news()
      continue
    }
    states.set(step, 'undoing')
    yield* states.news()
    yield `Undoing: ${step.title}`
    try {
      await undoWithReserve(step.undo, makeRoom)
    } catch (error) {
      left.push(`${step.title} (${messageOf(error)})`)
      states.set(step, 'not_undone')
      yield* states.news()
      continue
    }
    // Without an entry in the journal it is undone again, which is safe.
    await write({ step: step.name, state: 'undone' }).catch(() => undefined)
    states.set(step, 'undone')
    yield* states.news()
  }
  return left
}

async function undoWithReserve(
  undo: () => Promise<void>,
  makeRoom: Journal['makeRoom'],
): Promise<void> {
  try {
    await undo()
  } catch (error) {
    if (!isDiskFull(error) || !(await makeRoom())) throw error
    await undo()
  }
}

/** Returns the steps that were started and not undone, in order. */
export function startedSteps(steps: readonly Step[], journal: readonly JournalEntry[]): Step[] {
  // A step that a resumed operation skips may be its own work.
  const known = journal.filter(({ state }) => state !== 'skipped')
  const states = new Map(known.map(({ step, state }) => [step, state]))
  return steps.filter(({ name }) => states.has(name) && states.get(name) !== 'undone')
}

/**
 * Returns whether the operation has passed its point of no return. An undo that has begun continues,
 * whatever the machine answers by then: a database that failed before it may answer again.
 */
export async function isDecided(
  steps: readonly Step[],
  journal: readonly JournalEntry[] = [],
): Promise<boolean> {
  const turning = steps.find(({ decided }) => decided)
  const last = journal.findLast(({ step }) => step === turning?.name)
  if (last?.state === 'undoing') return false
  return (await turning?.decided?.()) ?? false
}

export function stepsAfter(steps: readonly Step[]): readonly Step[] {
  return steps.slice(steps.findIndex(({ decided }) => decided) + 1)
}

/** Runs the steps after the decision as far as possible; returns the obstacle. */
export async function* finishSteps(
  steps: readonly Step[],
  { write, states }: Pick<Journal, 'write' | 'states'>,
): Progress<string | undefined> {
  const rest = stepsAfter(steps).map(({ undo: _, ...step }) => step)
  try {
    return yield* performSteps(rest, write, NOT_CANCELLABLE, states)
  } catch (error) {
    return messageOf(error)
  }
}

/** Returns the failure with the steps that could not be undone and need an administrator. */
function withNotUndone(cause: unknown, left: readonly string[]): unknown {
  if (left.length === 0) return cause
  if (cause instanceof ServiceError) return notUndone(cause, left)
  return notUndone(new ServiceError('internal', { message: messageOf(cause), cause }), left)
}

async function* progressOfWork(work: Promise<void> | Progress<void>): Progress<void> {
  if (Symbol.asyncIterator in work) yield* work
  else await work
}
