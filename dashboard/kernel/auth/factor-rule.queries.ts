import { eq, sql } from 'drizzle-orm'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import { preparedQuery } from '#dashboard/kernel/db/prepared-query.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities, settings } from '#dashboard/kernel/db/schema.ts'
import { FACTOR_RULES, type FactorRule } from '#shared/kernel/api/passkeys.ts'

const KEY = 'second_factor_for'

const byKey = preparedQuery((read) =>
  read
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.key, sql.placeholder('key')))
    .prepare(),
)

/** Returns the accounts that need a second factor. */
export async function findFactorRule(db: Database): Promise<FactorRule> {
  const row = await byKey(db).get({ key: KEY })
  return FACTOR_RULES.find((rule) => rule === row?.value) ?? 'nobody'
}

export async function storeFactorRule(
  db: Database,
  value: FactorRule,
  entry: NewActivity,
): Promise<void> {
  await writeAll(db, (queries) => [
    queries
      .insert(settings)
      .values({ key: KEY, value })
      .onConflictDoUpdate({ target: settings.key, set: { value } }),
    queries.insert(activities).values(entry),
  ])
}
