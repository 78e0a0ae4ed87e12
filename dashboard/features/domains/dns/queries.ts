import { eq } from 'drizzle-orm'
import { batch, type Database } from '#dashboard/kernel/db/client.ts'
import { dns_accounts } from '#dashboard/kernel/db/dns-schema.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities } from '#dashboard/kernel/db/schema.ts'

export type AccountRow = typeof dns_accounts.$inferSelect
type NewAccount = typeof dns_accounts.$inferInsert

export const listAccounts = (db: Database): Promise<AccountRow[]> =>
  db.read.select().from(dns_accounts).orderBy(dns_accounts.name)

export const findAccount = (db: Database, id: number): Promise<AccountRow | undefined> =>
  db.read.select().from(dns_accounts).where(eq(dns_accounts.id, id)).get()

export const insertAccount = (db: Database, values: NewAccount, entry: NewActivity) =>
  db.write((queries) =>
    batch(queries, [
      queries.insert(dns_accounts).values(values),
      queries.insert(activities).values(entry),
    ]),
  )

export const updateAccount = (
  db: Database,
  id: number,
  values: Partial<NewAccount>,
  entry: NewActivity,
) =>
  db.write((queries) =>
    batch(queries, [
      queries.update(dns_accounts).set(values).where(eq(dns_accounts.id, id)),
      queries.insert(activities).values(entry),
    ]),
  )

export const deleteAccount = (db: Database, id: number, entry: NewActivity) =>
  db.write((queries) =>
    batch(queries, [
      queries.delete(dns_accounts).where(eq(dns_accounts.id, id)),
      queries.insert(activities).values(entry),
    ]),
  )

export const insertEntry = (db: Database, entry: NewActivity) =>
  db.write((queries) => queries.insert(activities).values(entry))
