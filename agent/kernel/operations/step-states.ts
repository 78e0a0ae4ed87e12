import type { Step } from '#agent/kernel/steps/command.ts'
import type { StepChange, StepState } from '#shared/kernel/steps.ts'
import type { JournalEntry } from './records.ts'

type AnnouncedStep = Pick<Step, 'name' | 'title'>

/** The states of the steps of one operation, and the changes that are not reported yet. */
export class StepStates {
  readonly #known = new Map<string, StepChange>()
  #news: StepChange[] = []

  /** `reported` are the changes that the previous process of the agent reported. */
  constructor(reported: Iterable<StepChange> = []) {
    for (const change of reported) this.#known.set(change.name, change)
  }

  /** Adds pending steps. The next change reports them: a command may still refuse. */
  announce(steps: readonly AnnouncedStep[]): void {
    for (const step of steps) if (!this.#known.has(step.name)) this.set(step, 'waiting')
  }

  set({ name, title }: AnnouncedStep, state: StepState): void {
    if (this.#known.get(name)?.state === state) return
    const change = { name, title, state }
    this.#known.set(name, change)
    this.#news.push(change)
  }

  /**
   * Reports pending steps again after a restart: a loss of power can lose reports, but not the
   * journal, which is on the disk before a step begins its work.
   */
  restarted(journal: readonly JournalEntry[]): void {
    for (const step of this.#known.values()) if (step.state === 'waiting') this.#news.push(step)
    for (const { step: name, state } of journal) {
      const step = this.#known.get(name)
      const isLost = state === 'undone' || step?.state === 'running' || step?.state === 'waiting'
      if (step && isLost) this.set(step, state === 'intent' ? 'running' : state)
    }
  }

  /** Marks the running step as failed. */
  interrupted(): void {
    this.#change('running', 'failed')
  }

  /** Ends all steps at the end of the operation. */
  settle(end: 'complete' | 'error'): void {
    this.#change('undoing', 'not_undone')
    this.#change('running', end === 'complete' ? 'done' : 'failed')
    if (end === 'complete') this.#change('waiting', 'skipped')
  }

  *news(): Generator<StepChange> {
    yield* this.#news.splice(0)
  }

  #change(from: StepState, to: StepState): void {
    for (const step of this.#known.values()) if (step.state === from) this.set(step, to)
  }
}
