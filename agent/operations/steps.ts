import type { Progress, Step } from '../commands/command.ts'
import type { JournalEntry } from './store.ts'

type Write = (entry: JournalEntry) => Promise<void>

/** Says what went wrong and, when a part could not be undone, what is left for a human. */
class UndoFailed extends Error {
  constructor(cause: unknown, left: readonly string[]) {
    super(`${messageOf(cause)}; could not undo: ${left.join('; ')}`, { cause })
    this.name = 'UndoFailed'
  }
}

/**
 * Runs the steps in order. When one throws, undoes the begun ones, newest first, and rethrows; once
 * it is decided it stops instead, and returns what stood in the way.
 */
export async function* performSteps(
  steps: readonly Step[],
  write: Write,
): Progress<string | undefined> {
  const begun: Step[] = []
  try {
    for (const step of steps) {
      if (await step.check?.()) continue
      yield step.title
      await write({ step: step.name, state: 'intent' })
      begun.push(step)
      yield* applied(step)
      // Told for the reader of a journal: what is undone goes by the intents alone.
      await write({ step: step.name, state: 'done' }).catch(() => undefined)
    }
    return undefined
  } catch (error) {
    yield `Failed: ${messageOf(error)}`
    if (await isDecided(begun)) return messageOf(error)
    const left = yield* undoSteps(begun, write)
    throw left.length > 0 ? new UndoFailed(error, left) : error
  }
}

/** Undoes the begun steps, newest first, each as far as it goes; returns what could not be undone. */
export async function* undoSteps(begun: readonly Step[], write: Write): Progress<string[]> {
  const left: string[] = []
  for (const step of begun.toReversed()) {
    if (!step.undo) continue
    yield `Undoing: ${step.title}`
    try {
      await step.undo()
      await write({ step: step.name, state: 'undone' })
    } catch (error) {
      left.push(`${step.title} (${messageOf(error)})`)
    }
  }
  return left
}

/** The steps that the journal says were begun and not undone, in the order of the steps. */
export function begunSteps(steps: readonly Step[], journal: readonly JournalEntry[]): Step[] {
  const states = new Map(journal.map(({ step, state }) => [step, state]))
  return steps.filter(({ name }) => states.has(name) && states.get(name) !== 'undone')
}

/** Whether one of the steps was taken that an operation does not go back behind. */
export async function isDecided(steps: readonly Step[]): Promise<boolean> {
  const turning = steps.find(({ decided }) => decided)
  return (await turning?.decided?.()) ?? false
}

/** Carries out what follows the decision, as far as it goes; returns what stood in the way. */
export async function* finishing(
  steps: readonly Step[],
  write: Write,
): Progress<string | undefined> {
  const after = steps.slice(steps.findIndex(({ decided }) => decided) + 1)
  const rest = after.map(({ undo: _, ...step }) => step)
  try {
    return yield* performSteps(rest, write)
  } catch (error) {
    return messageOf(error)
  }
}

async function* applied(step: Step): Progress<void> {
  const work = step.apply()
  if (Symbol.asyncIterator in work) yield* work
  else await work
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
