import { and, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { backup_repositories } from '#dashboard/db/backup-schema.ts'
import { type Database, writeAll } from '#dashboard/db/client.ts'
import type { NewActivity } from '#dashboard/db/rows.ts'
import { activities, settings } from '#dashboard/db/schema.ts'

const KEY = 'off_site_backup'
/** When a backup was requested; no row: none is. */
const REQUEST = 'off_site_request'

const OffSiteState = z.object({
  /** When an attempt ended last, and why it failed; null: it succeeded. */
  tried_at: z.string(),
  error: z.string().nullable(),
  /** Whether it was not even started, because something was missing. */
  not_ready: z.boolean().default(false),
  /** The last that succeeded. */
  saved_at: z.string().nullable(),
})
export type OffSiteState = z.input<typeof OffSiteState>

/** The dashboard's own backups in a target; undefined: none was tried yet. */
export async function findOffSite(
  db: Database,
): Promise<z.output<typeof OffSiteState> | undefined> {
  const [row] = await db.read.select().from(settings).where(eq(settings.key, KEY))
  return OffSiteState.safeParse(row?.value).data
}

export async function setOffSite(db: Database, value: OffSiteState): Promise<void> {
  await db.write((queries) =>
    queries
      .insert(settings)
      .values({ key: KEY, value })
      .onConflictDoUpdate({ target: settings.key, set: { value } }),
  )
}

export async function findRequest(db: Database): Promise<string | undefined> {
  const [row] = await db.read.select().from(settings).where(eq(settings.key, REQUEST))
  return z.string().safeParse(row?.value).data
}

/** The last one counts. */
export async function insertRequest(db: Database, value: string, entry: NewActivity) {
  await writeAll(db, (queries) => [
    queries
      .insert(settings)
      .values({ key: REQUEST, value })
      .onConflictDoUpdate({ target: settings.key, set: { value } }),
    queries.insert(activities).values(entry),
  ])
}

/** A later one stays. */
export async function endRequest(db: Database, value: string): Promise<void> {
  const same = sql`${settings.value} = ${JSON.stringify(value)}`
  await db.write((queries) => queries.delete(settings).where(and(eq(settings.key, REQUEST), same)))
}

export async function insertRepository(
  db: Database,
  values: typeof backup_repositories.$inferInsert,
): Promise<void> {
  await db.write((queries) => queries.insert(backup_repositories).values(values))
}
