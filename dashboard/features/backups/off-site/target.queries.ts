import { desc, eq } from 'drizzle-orm'
import { addressOf } from '#dashboard/features/backups/own/address.ts'
import { OWN_ID, type OwnTarget } from '#dashboard/features/backups/own/queries.ts'
import { dashboard_repositories, dashboard_targets } from '#dashboard/kernel/db/backup-schema.ts'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities, settings } from '#dashboard/kernel/db/schema.ts'
import type { BackupPlace } from '#shared/backups/backup.ts'
import { REQUEST, type Request, requestStatement, STATE } from './state.queries.ts'

type NewRepository = typeof dashboard_repositories.$inferInsert

/** Stores the target; with `forgets`, the last attempts were those of another place. */
export async function putOwnTarget(
  db: Database,
  values: Omit<OwnTarget, 'id'>,
  { entry, request, forgets }: { entry: NewActivity; request: Request; forgets: boolean },
): Promise<void> {
  await writeAll(db, (queries) => [
    queries
      .insert(dashboard_targets)
      .values({ id: OWN_ID, ...values })
      .onConflictDoUpdate({ target: dashboard_targets.id, set: values }),
    ...(forgets ? [queries.delete(settings).where(eq(settings.key, STATE))] : []),
    requestStatement(queries, request),
    queries.insert(activities).values(entry),
  ])
}

export async function deleteOwnTarget(db: Database, entry: NewActivity): Promise<void> {
  await writeAll(db, (queries) => [
    queries.delete(dashboard_targets),
    queries.delete(settings).where(eq(settings.key, STATE)),
    queries.delete(settings).where(eq(settings.key, REQUEST)),
    queries.insert(activities).values(entry),
  ])
}

/** Marks the target as checked, unless its settings were changed meanwhile. */
export async function setChecked(
  db: Database,
  { secret_sealed }: OwnTarget,
  checked_at: string | null,
): Promise<void> {
  await db.write((queries) =>
    queries
      .update(dashboard_targets)
      .set({ checked_at })
      .where(eq(dashboard_targets.secret_sealed, secret_sealed)),
  )
}

/** Returns the repository of this place, by its address without user and secret. */
export async function findOwnRepository(db: Database, place: BackupPlace) {
  const rows = await db.read
    .select()
    .from(dashboard_repositories)
    .orderBy(desc(dashboard_repositories.id))
  return rows.find((row) => addressOf(row.place) === addressOf(place))
}

export async function insertOwnRepository(db: Database, values: NewRepository): Promise<void> {
  await db.write((queries) => queries.insert(dashboard_repositories).values(values))
}
