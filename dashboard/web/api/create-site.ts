import type { z } from 'zod'
import type { SitePlan } from '#shared/api/sites.ts'
import { begin } from './begin.ts'
import { api, take } from './client.ts'

export interface NewSite {
  domain: string
  php?: string
  tier: string
  tls: string
  email?: string
  /** The system user that a plan was made for. */
  user?: string
  /** What the plan changes of others, once somebody has accepted it. */
  accept?: readonly string[]
}

export type PlannedSite = z.infer<typeof SitePlan>

/** What would be made, and how. Asks the agent. */
export async function planSite(server_id: number, input: NewSite): Promise<PlannedSite> {
  const answer = await take(api.servers({ server_id }).sites.post({ ...input, dry_run: true }))
  if (!('plan' in answer && answer.plan)) throw new Error('The dashboard answered without a plan')
  return answer
}

/** Answers at once: the operation makes it. */
export async function createSite(server_id: number, input: NewSite) {
  const { body, operation_id } = await begin('POST', `/api/servers/${server_id}/sites`, input)
  const { site } = body as { site: { id: number; domain: string } }
  return { site, operation_id }
}
