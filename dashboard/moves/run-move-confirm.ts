import { inTrash } from '#dashboard/agents/ask-trash.ts'
import type { Queries, Statement } from '#dashboard/db/client.ts'
import { sites } from '#dashboard/db/schema.ts'
import type { Outcome } from '#dashboard/operations/job.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { trashedRow } from '#dashboard/sites/trash/trashed-row.ts'
import { present } from './give-up.ts'
import { Done } from './parts.ts'
import { endStatements } from './queries.ts'
import { ended, type Session, session } from './session.ts'
import { switchSite } from './switch-site.ts'

/** The former copy goes to the trash of its server, which forwards no more. */
export const runMoveConfirm = session(confirm)

async function confirm(session: Session): Promise<Outcome> {
  const { parts, site, here, other } = session
  const { domain } = site
  await parts.once('deleted', `Moving the copy on ${other.name} to the trash`, Done, async () => {
    const params = { domain, copy: true }
    await present(parts.call({ id: 'delete', server: other, command: 'site.delete', params }))
    return true
  })
  await parts.finally('settled', `Serving ${domain} for visitors only`, Done, async () => {
    await switchSite(session, { id: 'settled', server: here, state: 'settled' })
    return true
  })
  const copy = await trashedCopy(session)
  const change = (queries: Queries) => [...endStatements(queries, site.id), ...copy(queries)]
  return ended(session, 'site.move-confirm', { domain }, change)
}

/**
 * The record of the former copy: it is listed, restored and purged like a deleted site. A server that
 * does not answer now has none until its trash is read.
 */
async function trashedCopy({ deps, site, other }: Session) {
  const kept = await inTrash(deps.agents, other, site.domain).catch(() => undefined)
  const dates = { now: timestamp(deps.clock), purge_at: timestamp(deps.clock, deps.trash_ms) }
  return (queries: Queries): Statement[] =>
    kept
      ? [
          queries
            .insert(sites)
            .values(trashedRow(kept, other.id, dates))
            .onConflictDoNothing(),
        ]
      : []
}
