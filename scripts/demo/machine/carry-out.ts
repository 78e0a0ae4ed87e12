import type { Host } from '#agent/host/ports.ts'
import { performSteps } from '#agent/operations/steps.ts'
import type { Context, Progress } from '#agent/steps/command.ts'
import type { Warning } from '#shared/agent.ts'
import { type ErrorBody, ServiceError } from '#shared/errors.ts'

/** What a command said, and how it ended. */
export interface Transcript {
  lines: string[]
  end: { result: Record<string, unknown>; warnings: Warning[] } | { error: ErrorBody }
}

/** A command of the agent to its end, with no operation around it. */
export async function carryOut(
  host: Host,
  run: (context: Context) => Progress<object>,
): Promise<Transcript> {
  const warnings: Warning[] = []
  const context: Context = {
    host,
    perform: (steps) => performSteps(steps, async () => undefined),
    warn: (warning) => void warnings.push(warning),
  }
  const lines: string[] = []
  try {
    const work = run(context)
    for (;;) {
      const step = await work.next()
      if (step.done) return { lines, end: { result: { ...step.value }, warnings } }
      lines.push(step.value)
    }
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    const error = cause instanceof ServiceError ? cause : new ServiceError('internal', { message })
    return { lines, end: { error: error.body } }
  }
}

/** The result of a command that nothing stands in the way of. Throws what did all the same. */
export async function resultOf(
  host: Host,
  run: (context: Context) => Progress<object>,
): Promise<Record<string, unknown>> {
  const { end } = await carryOut(host, run)
  if ('error' in end) throw new Error(end.error.message ?? end.error.error)
  return end.result
}
