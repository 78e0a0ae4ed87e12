import { and, eq, sql } from 'drizzle-orm'
import type { Queries, Statement } from '#dashboard/db/client.ts'
import type { OperationRow } from '#dashboard/db/rows.ts'
import { isolation_checks, servers, sites } from '#dashboard/db/schema.ts'
import { mailStatements } from '#dashboard/mail/queries.ts'
import type { Effect } from '../../effects.ts'

/** What an operation that ended `at` changes in the records, for the batch of its outcome. */
export function effectStatements(
  queries: Queries,
  operation: OperationRow,
  effect: Effect,
  at: string,
): Statement[] {
  const statements = isolationStatements(queries, operation, effect, at)
  if (effect.mail) statements.push(...mailStatements(queries, operation, effect.mail, at))
  if (effect.server)
    statements.push(
      queries.update(servers).set(effect.server).where(eq(servers.id, operation.server_id)),
    )
  if (operation.site_id === null) return statements
  const mine = eq(sites.id, operation.site_id)
  if (effect.site) {
    const { status, ...rest } = effect.site
    const ended = status === 'cancelled' ? { status: asEnded(operation.id) } : { status }
    const set = { ...rest, ...(status && ended) }
    statements.push(queries.update(sites).set(set).where(mine))
  }
  if (effect.manage_site) {
    const taken = sql`exists (select 1 from sites as other where other.apex = sites.apex
      and other.managed = 1 and other.id <> sites.id)`
    const free = and(mine, sql`not ${taken}`)
    statements.push(
      queries.update(sites).set({ managed: true, found: false, ignored_at: null }).where(free),
    )
  }
  if (effect.remove_site) statements.push(queries.delete(sites).where(mine))
  if (effect.restore_site !== undefined)
    statements.push(
      queries
        .update(sites)
        .set({
          status: sql`coalesce(former_status, 'failed')`,
          former_status: null,
          status_reason: effect.restore_site,
        })
        .where(mine),
    )
  return statements
}

/** An agent that calls an end cancelled that nobody asked for has failed. */
const asEnded = (id: string) => sql`(select status from operations where id = ${id})`

/** The time is that of the dashboard: the clocks of servers differ. */
function isolationStatements(
  queries: Queries,
  { server_id }: OperationRow,
  { isolation }: Effect,
  at: string,
): Statement[] {
  if (!isolation) return []
  const set =
    'results' in isolation
      ? { checked_at: at, results: isolation.results, failures: 0, failed_at: null, reason: '' }
      : { failures: sql`failures + 1`, failed_at: at, reason: isolation.reason }
  const first = 'results' in isolation ? set : { ...set, failures: 1 }
  return [
    queries
      .insert(isolation_checks)
      .values({ server_id, ...first })
      .onConflictDoUpdate({ target: isolation_checks.server_id, set }),
  ]
}
