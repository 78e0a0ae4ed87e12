import type { Database } from '#dashboard/kernel/db/client.ts'
import { server_versions } from '#dashboard/kernel/db/schema.ts'

/** Lists the versions of servers by their ids: equal ones mean equal counts (servers-schema.ts). */
export async function listVersions(db: Database) {
  const rows = await db.read.select().from(server_versions)
  const by = (column: 'sites' | 'backups') =>
    new Map(rows.map((row) => [row.server_id, row[column]]))
  return { sites: by('sites'), backups: by('backups') }
}
