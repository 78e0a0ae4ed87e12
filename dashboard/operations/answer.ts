import type { Connection } from '#dashboard/http/client.ts'
import type { Plan } from '#shared/plan.ts'
import { type BeginDeps, outcome } from './begin.ts'
import type { Job } from './job.ts'
import { streamJob } from './stream.ts'

type Started = Job | { plan: Plan }

/** The events of what was started, or the plan that was asked for. */
export async function streamOrPlan(
  deps: Parameters<typeof streamJob>[0],
  started: Started,
  caller: { request: Request; server: Connection | null },
): Promise<Response | { plan: Plan }> {
  return 'plan' in started ? started : streamJob(deps, started, caller)
}

/** Waits for the outcome, and answers with `message` when it is a success. */
export async function doneOrPlan(deps: BeginDeps, started: Started, message: string) {
  if ('plan' in started) return started
  await outcome(deps, started)
  return { status: 'ok' as const, message }
}
