import { findTrashedSite } from '#dashboard/kernel/agents/read-trash.ts'
import {
  type Database,
  type Queries,
  type Statement,
  writeAll,
} from '#dashboard/kernel/db/client.ts'
import type { NewSite, ServerRow } from '#dashboard/kernel/db/rows.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import { trashedRow } from '#dashboard/kernel/targets/trashed-row.ts'
import type { MoveSession } from './move-session.ts'
import { unlistStatements } from './queries.ts'

type CopiedSite = Pick<MoveSession, 'site'> & {
  deps: Pick<MoveSession['deps'], 'agents' | 'clock' | 'trash_ms'>
}

/**
 * Returns the record of a copy in the trash of its server: it is listed, restored and purged like a
 * deleted site. `size` is that of a copy that this operation has deleted; the trash may then be
 * unreadable. Undefined if the trash does not have it.
 */
export async function trashedCopyRow(
  session: CopiedSite,
  server: ServerRow,
  size: number | undefined,
): Promise<NewSite | undefined> {
  const { deps, site } = session
  try {
    const kept = await findTrashedSite(deps.agents, server, site.domain)
    return kept && trashedRow(kept, server.id, datesOf(session))
  } catch (error) {
    if (size === undefined) throw error
    return deletedRow(session, server, size)
  }
}

/** Returns the record of a deleted copy, which was like the site is now. */
export function deletedRow(session: CopiedSite, server: ServerRow, size = 0): NewSite {
  const { domain, user, php, tier, tls: own } = session.site
  const tls = own === 'other' ? 'none' : own
  const dates = datesOf(session)
  const facts = { domain, user, php, tier, tls, size, deleted_at: dates.now, restorable: true }
  return trashedRow(facts, server.id, dates)
}

const datesOf = ({ deps: { clock, trash_ms } }: CopiedSite) => ({
  now: timestamp(clock),
  purge_at: timestamp(clock, trash_ms),
})

export const listStatements = (queries: Queries, row: NewSite | undefined): Statement[] =>
  row ? [queries.insert(sites).values(row).onConflictDoNothing()] : []

export async function recordTrashedCopy(db: Database, row: NewSite | undefined): Promise<void> {
  await writeAll(db, (queries) => listStatements(queries, row))
}

export async function removeTrashedCopy(
  { deps, site }: MoveSession,
  server: ServerRow,
): Promise<void> {
  const copy = { server_id: server.id, apex: site.apex }
  await writeAll(deps.db, (queries) => unlistStatements(queries, copy))
}

/** Returns the result of the work; undefined when the copy is gone already. */
export async function resultUnlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (!isServiceError(error, 'not_found')) throw error
    return undefined
  }
}
