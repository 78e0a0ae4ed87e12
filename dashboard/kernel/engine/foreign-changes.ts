import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { type Effect, type Plan, unacceptedMessage } from '#shared/kernel/plan.ts'

/** The params of a site that a server does not have yet. */
export interface NewSiteParams {
  domain: string
  user: string
  php: string
  tier: string
  tls: string
  email: string
}

/**
 * Returns what a server would change for one more site that Hosting Control did not make, for a call
 * whose own plan needs a backup that does not exist yet. Throws the refusals of the server, and 503 when
 * it is offline.
 */
export async function foreignChanges(
  { agents }: { agents: Agents },
  server: ServerRow,
  { domain, user, php, tier, tls, email }: NewSiteParams,
): Promise<Effect[]> {
  const params = { domain, user, php, tier, tls, email }
  const { plan } = await agents.plan(server, 'site.create', params)
  return plan.steps.flatMap(({ effects }) => effects.filter(({ asks }) => asks !== undefined))
}

/** Throws 422 on `accept` before anything is done for a call that would fail without it. */
export function refuseUnaccepted(changes: readonly Effect[], accept: readonly string[] = []): void {
  const open = changes.filter(({ asks = '' }) => !accept.includes(asks))
  if (open.length > 0) throw invalid({ accept: [unacceptedMessage(open)] })
}

/** Adds these changes to a plan as effects of its step of that name. */
export const withChanges = (plan: Plan, step: string, changes: readonly Effect[]): Plan => ({
  steps: plan.steps.map((each) =>
    each.name === step ? { ...each, effects: [...each.effects, ...changes] } : each,
  ),
})
