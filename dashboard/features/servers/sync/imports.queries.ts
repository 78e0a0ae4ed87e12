import { and, eq, sql } from 'drizzle-orm'
import { MAX_IMPORTS_A_DAY } from '#dashboard/kernel/agents/budgets.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { NewSite, ServerRow } from '#dashboard/kernel/db/rows.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { breathe, piecesOf } from '#dashboard/kernel/runtime/breathe.ts'
import type { FoundSite } from '#shared/kernel/found-site.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { factsOf } from './facts.ts'

const ROWS = 100

type Importing = Pick<ServerRow, 'id' | 'imports' | 'imports_day'>

/** Records discovered sites within the budget of the day and `room`. Returns their number. */
export async function importSites(
  db: Database,
  server: Importing,
  rows: readonly NewSite[],
  { now, room }: { now: string; room: number },
): Promise<number> {
  const day = now.slice(0, 10)
  const used = server.imports_day === day ? server.imports : 0
  const count = Math.max(0, Math.min(rows.length, room, MAX_IMPORTS_A_DAY - used))
  if (count === 0 || !(await reserve(db, server.id, day, count))) return 0
  for (const some of piecesOf(rows.slice(0, count), ROWS)) {
    await db.write((queries) => queries.insert(sites).values(some).onConflictDoNothing())
    await breathe()
  }
  return count
}

/** False when another dashboard on the same records has used up the budget meanwhile. */
async function reserve(db: Database, id: number, day: string, count: number): Promise<boolean> {
  const used = sql<number>`(case when imports_day = ${day} then imports else 0 end)`
  const rows = await db.write((queries) =>
    queries
      .update(servers)
      .set({ imports: sql`${used} + ${count}`, imports_day: day })
      .where(and(eq(servers.id, id), sql`${used} + ${count} <= ${MAX_IMPORTS_A_DAY}`))
      .returning({ id: servers.id }),
  )
  return rows.length > 0
}

export function importedRow(found: FoundSite, server_id: number, created_at: string): NewSite {
  const { domain } = found
  const facts = { ...factsOf(found), domain, apex: apexOf(domain) }
  return { ...facts, server_id, managed: false, found: true, status: 'active', created_at }
}
