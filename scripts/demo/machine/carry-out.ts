import { commands } from '#agent/commands.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { StepStates } from '#agent/kernel/operations/step-states.ts'
import { performSteps } from '#agent/kernel/operations/steps.ts'
import type { RunContext } from '#agent/kernel/steps/command.ts'
import type { CommandName, ParamsOf, ResultOf } from '#shared/commands.ts'
import { type ErrorBody, ServiceError } from '#shared/kernel/errors.ts'
import type { StepChange } from '#shared/kernel/steps.ts'
import type { Warning } from '#shared/servers/agent.ts'

/** A transcript is the output of a command, and its result. */
export interface Transcript<Result = object> {
  lines: string[]
  /** The changes of steps, each after the given number of lines. */
  steps: { after: number; change: StepChange }[]
  end: { result: Result; warnings: Warning[] } | { error: ErrorBody }
}

/** Runs a command of the agent to its end, without an operation. */
export async function carryOut<N extends CommandName>(
  host: Host,
  name: N,
  params: ParamsOf<N>,
): Promise<Transcript<ResultOf<N>>> {
  const warnings: Warning[] = []
  const states = new StepStates()
  const context: RunContext = {
    host,
    announce: (steps) => states.announce(steps),
    perform: (steps) => performSteps(steps, async () => undefined, undefined, states),
    warn: (warning) => void warnings.push(warning),
  }
  const lines: string[] = []
  const steps: Transcript['steps'] = []
  const note = (change: StepChange) => steps.push({ after: lines.length, change })
  const runToEnd = async () => {
    const command = await commands[name]()
    const work = command.run(params, context)
    for (;;) {
      const { done, value } = await work.next()
      if (done) return { result: value, warnings }
      if (typeof value === 'string') lines.push(value)
      else note(value)
    }
  }
  const end = await runToEnd().catch((cause: unknown) => ({ error: errorOf(cause) }))
  states.settle('error' in end ? 'error' : 'complete')
  for (const change of states.news()) note(change)
  return { lines, steps, end }
}

function errorOf(cause: unknown): ErrorBody {
  const message = cause instanceof Error ? cause.message : String(cause)
  return (cause instanceof ServiceError ? cause : new ServiceError('internal', { message })).body
}

/** Returns the result of a command without obstacles. Throws if there is one. */
export async function resultOf<N extends CommandName>(
  host: Host,
  name: N,
  params: ParamsOf<N>,
): Promise<ResultOf<N>> {
  const { end } = await carryOut(host, name, params)
  if ('error' in end) throw new Error(end.error.message ?? end.error.error)
  return end.result
}
