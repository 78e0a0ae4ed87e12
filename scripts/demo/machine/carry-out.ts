import type { Context, Progress } from '#agent/commands/command.ts'
import type { Host } from '#agent/host/ports.ts'
import { performSteps } from '#agent/operations/steps.ts'

export interface Transcript {
  lines: string[]
  result: Record<string, unknown>
}

/** A command of the agent to its end, with no operation around it. Throws what it throws. */
export async function carryOut(
  host: Host,
  run: (context: Context) => Progress<object>,
): Promise<Transcript> {
  const context: Context = { host, perform: (steps) => performSteps(steps, async () => undefined) }
  const work = run(context)
  const lines: string[] = []
  for (;;) {
    const step = await work.next()
    if (step.done) return { lines, result: { ...step.value } }
    lines.push(step.value)
  }
}
