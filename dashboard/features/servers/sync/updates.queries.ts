import { and, eq, not, notInArray, sql } from 'drizzle-orm'
import type { Queries, Statement } from '#dashboard/kernel/db/client.ts'
import { OPERATING } from '#dashboard/kernel/db/exclusion.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import type { SyncPlan } from './sync-plan.ts'

interface Asked {
  server: Pick<ServerRow, 'id'>
  /** Before the first question to the agent. */
  since: string
  now: string
}

export const updateStatements = (
  queries: Queries,
  updates: SyncPlan['updates'],
  asked: Asked,
): Statement[] => updates.map((update) => updateStatement(queries, update, asked))

/**
 * The new state depends on the old one, on the server and on the domain, which may have changed by now.
 * The report is too old for a site whose operation has ended since, and one with an active operation
 * may be on its way: the next sync compares them.
 */
function updateStatement(
  queries: Queries,
  { id, domain, from, values }: SyncPlan['updates'][number],
  { server, since: asked_at, now }: Asked,
): Statement {
  const { status } = values
  const since = status === undefined ? {} : { missing_since: status === 'missing' ? now : null }
  const still =
    status === undefined
      ? notInArray(sites.status, ['provisioning', 'deleting'])
      : and(eq(sites.status, from), not(OPERATING))
  const ended = sql`exists (select 1 from operations
    where site_id = ${id} and finished_at > ${asked_at})`
  const same = and(eq(sites.id, id), eq(sites.server_id, server.id), eq(sites.domain, domain))
  return queries
    .update(sites)
    .set({ ...values, ...since })
    .where(and(same, still, not(ended)))
}
