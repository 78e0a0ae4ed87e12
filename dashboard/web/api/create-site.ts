import type { z } from 'zod'
import type { SitePlan } from '#shared/api/sites.ts'
import { begin } from './begin.ts'
import { call, type Sent } from './client.ts'

export type NewSite = Sent<'POST /api/servers/:server_id/sites'>['body']

export type PlannedSite = z.infer<typeof SitePlan>

/** The plan of a new site, from the agent. */
export async function planSite(server_id: number, input: NewSite): Promise<PlannedSite> {
  const answer = await call('POST /api/servers/:server_id/sites', {
    params: { server_id },
    body: { ...input, dry_run: true },
  })
  if (!('plan' in answer && answer.plan)) throw new Error('The dashboard answered without a plan')
  return answer
}

/** Answers at once; the operation creates the site. */
export async function createSite(server_id: number, input: NewSite) {
  const sent = { params: { server_id }, body: input }
  const { body, operation_id } = await begin('POST /api/servers/:server_id/sites', sent)
  if (!body || 'plan' in body) throw new Error('The dashboard answered with a plan')
  const { site } = body
  return { site, operation_id }
}
