import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { findActive } from '#dashboard/kernel/engine/queries.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import { uploadReading } from '#shared/database/readings.ts'
import type { UploadRequest } from '#shared/database/site-database.ts'
import { conflict } from '#shared/kernel/errors.ts'

const IMPORT = 'database.import'

/**
 * Passes a part of an import on to the server of the site; the dashboard stores nothing of it.
 * Throws conflict for the first part while an import of the site runs or waits, which no other
 * import can follow.
 */
export async function uploadPart(
  deps: { agents: Agents; db: Database },
  target: SiteTarget,
  { upload, part, data }: Omit<UploadRequest, 'domain'>,
): Promise<{ part: number }> {
  const { server, site } = target
  if (part === 0) {
    const holder = { type: IMPORT, server_id: server.id, site_id: site.id } as const
    const active = await findActive(deps.db, holder)
    if (active?.type === IMPORT)
      throw conflict(`An import into the database of ${site.domain} is running: wait for its end`)
  }
  return deps.agents.call(server, uploadReading, { domain: site.domain, upload, part, data })
}
