import { sql } from 'drizzle-orm'
import { recordActivity } from '#dashboard/kernel/activity/queries.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import type { Dashboard } from './dashboard.ts'

export const AT = '2026-11-20T14:05:02.000Z'

/** Records activities of these domains, as a change does, without their links. */
export async function record(
  { db }: Pick<Dashboard, 'db'>,
  domains: readonly string[],
  values: Partial<NewActivity> = {},
): Promise<void> {
  const entry = { type: 'site.create', status: 'success', created_at: AT, ...values } as const
  for (const domain of domains) await recordActivity(db, { ...entry, domain })
}

/** Runs statements as somebody who can write to the database, and has no secret. */
export async function tamper(
  { db }: Pick<Dashboard, 'db'>,
  ...statements: readonly string[]
): Promise<void> {
  for (const statement of statements) await db.write((queries) => queries.run(sql.raw(statement)))
}

/** The id of the last activity. */
export async function lastId({ db }: Pick<Dashboard, 'db'>): Promise<number> {
  const row = await db.read.query.activities.findFirst({
    columns: { id: true },
    orderBy: (table, { desc }) => desc(table.id),
  })
  return row?.id ?? 0
}

/** The first problem, in short. */
export async function problemOf(
  dashboard: Dashboard,
): Promise<{ code: string; id: unknown } | null> {
  const { problem } = (await dashboard.call('GET', '/api/activity/verify')).body
  return problem && { code: problem.code, id: problem.id }
}
