import { asc, sql } from 'drizzle-orm'
import { backup_rules } from '#dashboard/kernel/db/backup-schema.ts'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities } from '#dashboard/kernel/db/schema.ts'

type Rule = typeof backup_rules.$inferInsert

export function listRules(db: Database) {
  const { tag, every, target_id, backup_first, per_server } = backup_rules
  const servers = sql<number>`(select count(*) from servers
    where exists (select 1 from json_each(servers.tags) where json_each.value = backup_rules.tag))`
  return db.read
    .select({ tag, every, target_id, backup_first, per_server, servers })
    .from(backup_rules)
    .orderBy(asc(tag))
}

const RULES_STATE = sql`(select json_group_array(state) from (select
  json_array(tag, every, target_id, backup_first, per_server) as state from backup_rules order by tag))`

export async function readRulesState(db: Database): Promise<string> {
  const row = await db.read.get<{ state: string }>(sql`select ${RULES_STATE} as state`)
  return row?.state ?? '[]'
}

/** Replaces all rules. Violates `backup_rules.tag` if they are not in that state any more. */
export async function storeRules(
  db: Database,
  { rules, state }: { rules: readonly Rule[]; state: string },
  entry: NewActivity,
): Promise<void> {
  const twice = sql`insert into backup_rules (tag)
    select '' from (select 1 union all select 2) where ${RULES_STATE} <> ${state}`
  await writeAll(db, (queries) => [
    queries.run(twice),
    queries.delete(backup_rules),
    ...rules.map((rule) => queries.insert(backup_rules).values(rule)),
    queries.insert(activities).values(entry),
  ])
}
