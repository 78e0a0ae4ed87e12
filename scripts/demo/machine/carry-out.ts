import type { Host } from '#agent/host/ports.ts'
import { StepStates } from '#agent/operations/step-states.ts'
import { performSteps } from '#agent/operations/steps.ts'
import type { Context, Progress } from '#agent/steps/command.ts'
import type { Warning } from '#shared/agent.ts'
import { type ErrorBody, ServiceError } from '#shared/errors.ts'
import type { StepChange } from '#shared/steps.ts'

/** The output of a command, and its result. */
export interface Transcript {
  lines: string[]
  /** Each after the given number of lines. */
  steps: { after: number; change: StepChange }[]
  end: { result: Record<string, unknown>; warnings: Warning[] } | { error: ErrorBody }
}

/** Runs a command of the agent to its end, without an operation. */
export async function carryOut(
  host: Host,
  run: (context: Context) => Progress<object>,
): Promise<Transcript> {
  const warnings: Warning[] = []
  const states = new StepStates()
  const context: Context = {
    host,
    announce: (steps) => states.announce(steps),
    perform: (steps) => performSteps(steps, async () => undefined, undefined, states),
    warn: (warning) => void warnings.push(warning),
  }
  const lines: string[] = []
  const steps: Transcript['steps'] = []
  const note = (change: StepChange) => steps.push({ after: lines.length, change })
  const settle = (end: 'complete' | 'error') => {
    states.settle(end)
    for (const change of states.news()) note(change)
  }
  try {
    const work = run(context)
    for (;;) {
      const { done, value } = await work.next()
      if (done) {
        settle('complete')
        return { lines, steps, end: { result: { ...value }, warnings } }
      }
      if (typeof value === 'string') lines.push(value)
      else note(value)
    }
  } catch (cause) {
    settle('error')
    const message = cause instanceof Error ? cause.message : String(cause)
    const error = cause instanceof ServiceError ? cause : new ServiceError('internal', { message })
    return { lines, steps, end: { error: error.body } }
  }
}

/** The result of a command without obstacles. Throws if there is one. */
export async function resultOf(
  host: Host,
  run: (context: Context) => Progress<object>,
): Promise<Record<string, unknown>> {
  const { end } = await carryOut(host, run)
  if ('error' in end) throw new Error(end.error.message ?? end.error.error)
  return end.result
}
