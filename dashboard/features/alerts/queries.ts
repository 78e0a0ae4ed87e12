import { inArray } from 'drizzle-orm'
import { findGrants } from '#dashboard/kernel/auth/grants.queries.ts'
import { admits } from '#dashboard/kernel/auth/queries.ts'
import { alerts } from '#dashboard/kernel/db/alerts-schema.ts'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import { users } from '#dashboard/kernel/db/schema.ts'
import { rightsOf } from '#shared/kernel/rights.ts'
import type { Alert } from './decide.ts'

export function listAlerts(db: Database): Promise<Alert[]> {
  return db.read.select().from(alerts).orderBy(alerts.since, alerts.key)
}

export async function saveAlerts(
  db: Database,
  changed: readonly Alert[],
  deleted: readonly string[],
): Promise<void> {
  if (changed.length + deleted.length === 0) return
  await writeAll(db, (queries) => [
    queries.delete(alerts).where(inArray(alerts.key, [...deleted])),
    ...changed.map((alert) =>
      queries.insert(alerts).values(alert).onConflictDoUpdate({ target: alerts.key, set: alert }),
    ),
  ])
}

/** Lists the addresses of the accounts in use that see the whole fleet, which messages are about. */
export async function listAddresses(db: Database, marks: Marks): Promise<string[]> {
  const rows = await db.read.select().from(users).orderBy(users.id)
  const readers: string[] = []
  for (const row of rows.filter((row) => admits(marks, row))) {
    const { grants } = await findGrants({ db, marks }, row.id)
    if (rightsOf(grants).includes('read')) readers.push(row.email)
  }
  return readers
}
