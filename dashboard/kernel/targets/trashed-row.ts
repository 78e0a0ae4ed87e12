import type { NewSite } from '#dashboard/kernel/db/rows.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { identityOf } from '#shared/kernel/site-identity.ts'
import type { TrashedSite } from '#shared/servers/agent.ts'

/** Returns the record of a site in the trash: not managed, so that it reserves no name. */
export function trashedRow(
  { deleted_at, size, restorable: _, ...facts }: TrashedSite,
  server_id: number,
  { now, purge_at }: { now: string; purge_at: string },
): NewSite {
  return {
    ...facts,
    ...identityOf(facts.user),
    server_id,
    apex: apexOf(facts.domain),
    managed: false,
    status: 'trashed',
    trashed_at: deleted_at,
    purge_at,
    trash_size: size,
    created_at: now,
  }
}
