import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import { entryOf } from './entry.ts'
import { recordActivity } from './queries.ts'

/**
 * Makes a call about a site, and records it as an activity, whether it succeeds or fails; `detailOf`
 * says what was done.
 */
export async function recordCall<T>(
  { db, clock }: Pick<CommonDeps, 'db' | 'clock'>,
  { server, site, actor }: SiteTarget,
  type: string,
  call: () => Promise<T>,
  detailOf?: (answer: T) => Promise<string>,
): Promise<T> {
  const facts = { type, domain: site.domain, server_id: server.id, user_id: actor }
  const record = (status: 'success' | 'failed', detail: string | null = null) =>
    recordActivity(db, entryOf(clock, { ...facts, status, detail }))
  const answer = await call().catch(async (error: unknown) => {
    await record('failed')
    throw error
  })
  await record('success', detailOf && (await detailOf(answer)))
  return answer
}
