import { and, eq } from 'drizzle-orm'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities, sites } from '#dashboard/kernel/db/schema.ts'

/** Stores the state of a discovered site and its activity: both or neither. */
export async function storeIgnored(
  db: Database,
  id: number,
  { ignored_at, activity }: { ignored_at: string | null; activity: NewActivity },
): Promise<void> {
  const mine = and(eq(sites.id, id), ignored_at === null ? undefined : eq(sites.managed, false))
  await writeAll(db, (queries) => [
    queries.update(sites).set({ ignored_at }).where(mine),
    queries.insert(activities).values(activity),
  ])
}
