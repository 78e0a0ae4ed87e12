import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import {
  type StartDeps,
  type StartInput,
  startOrPlan,
} from '#dashboard/kernel/engine/start-operation.ts'
import { ASKS_AGENT, continues } from '#dashboard/kernel/http/answers.ts'
import { Reply } from '#dashboard/kernel/http/reply.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import { type Plan, PlanAnswer } from '#shared/kernel/plan.ts'
import { OPERATION_TYPES, type OperationType } from '#shared/operation-types.ts'
import { ChangingAnswer } from '#shared/sites/api/sites.ts'

type SiteStatus = SiteRow['status']

/** The parts of a route whose work on a site continues after the answer. */
export const inBackground = (type: OperationType) => ({
  right: OPERATION_TYPES[type].right,
  answers: {
    200: { about: 'With `dry_run`: what would be done.', json: PlanAnswer },
    202: continues('Running.', ChangingAnswer),
  },
  errors: ASKS_AGENT,
})

/** Answers immediately with the state of the site, or with the requested plan. */
export async function startInBackground<K extends OperationType>(
  { deps, loaded, body }: { deps: StartDeps; loaded: SiteTarget; body: StartInput<K> },
  type: K,
  as: SiteStatus,
) {
  return changingAnswer(loaded, await startOrPlan(deps, type, loaded, body), as)
}

export function changingAnswer(
  { site: { id, domain } }: SiteTarget,
  started: { operation_id: string } | { plan: Plan },
  status: SiteStatus,
) {
  if ('plan' in started) return started
  const headers = { [OPERATION_HEADER]: started.operation_id }
  return new Reply(202, { site: { id, domain, status } }, { headers })
}
