import { eq, sql } from 'drizzle-orm'
import type { Database, Queries, Statement } from '#dashboard/kernel/db/client.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { site_settings } from '#dashboard/kernel/db/settings-schema.ts'
import type { SettingsReport } from '#shared/sites/site.configure.ts'

export async function findSettings(db: Database, site_id: number) {
  const [row] = await db.read.select().from(site_settings).where(eq(site_settings.site_id, site_id))
  return row
}

/** Stores a change of the site itself, which knows only on and off. */
export const xmlrpcStatements = (
  queries: Queries,
  site_id: number,
  xmlrpc: boolean,
): Statement[] => [
  queries
    .update(site_settings)
    .set({ settings: sql`json_set(settings, '$.xmlrpc', ${xmlrpc ? 'on' : 'off'})` })
    .where(eq(site_settings.site_id, site_id)),
]

/** Stores the settings; the stored password stays, as long as visitors need one. */
export function settingsStatements(
  queries: Queries,
  site_id: number,
  settings: SettingsReport,
  sealed: string | undefined,
): Statement[] {
  const password = settings.basic_auth === null ? '' : sealed
  const set = { settings, ...(password !== undefined && { password_sealed: password }) }
  return [
    queries
      .insert(site_settings)
      .values({ site_id, ...set })
      .onConflictDoUpdate({ target: site_settings.site_id, set }),
    queries
      .update(sites)
      .set({ xmlrpc: settings.xmlrpc !== 'off' })
      .where(eq(sites.id, site_id)),
  ]
}
