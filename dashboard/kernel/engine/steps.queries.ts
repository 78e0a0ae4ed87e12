import { and, asc, eq, gt, gte, sql } from 'drizzle-orm'
import { OMITTED_LINE } from '#dashboard/kernel/agents/output-limits.ts'
import type { Database, Queries, Statement } from '#dashboard/kernel/db/client.ts'
import { preparedQuery } from '#dashboard/kernel/db/prepared-query.ts'
import { operation_events, operations } from '#dashboard/kernel/db/schema.ts'
import { operation_steps } from '#dashboard/kernel/db/steps-schema.ts'
import { isNumbered, type StoredEvent } from '#shared/kernel/sse.ts'
import { StepChange } from '#shared/kernel/steps.ts'

/** Inserts events and steps in order, and notes whether the rest of the output is omitted. */
export function eventStatements(
  queries: Queries,
  operation_id: string,
  events: readonly StoredEvent[],
): Statement[] {
  const rows = events.filter(isNumbered).map((event) => ({ operation_id, ...event }))
  const steps = events
    .filter((event) => !isNumbered(event))
    .map(({ id, data }) => ({ operation_id, after: id, ...StepChange.parse(data) }))
  const full = queries
    .update(operations)
    .set({ output_full: true })
    .where(eq(operations.id, operation_id))
  return [
    ...(rows.length > 0 ? [queries.insert(operation_events).values(rows)] : []),
    ...(steps.length > 0 ? [queries.insert(operation_steps).values(steps)] : []),
    ...(events.some(({ data }) => data === OMITTED_LINE) ? [full] : []),
  ]
}

const steps = preparedQuery((read) => {
  const { id, operation_id, after, name, title, state } = operation_steps
  return read
    .select({ row: id, id: after, name, title, state })
    .from(operation_steps)
    .where(
      and(
        eq(operation_id, sql.placeholder('operation_id')),
        gt(id, sql.placeholder('row')),
        gte(after, sql.placeholder('after')),
      ),
    )
    .orderBy(asc(id))
    .prepare()
})

/** Lists the steps after `row`, from the event `after` on; a `row` starts the next call. */
export async function listSteps(
  db: Database,
  operation_id: string,
  since: { row: number; after: number },
): Promise<(StoredEvent & { row: number })[]> {
  const rows = await steps(db).all({ operation_id, ...since })
  return rows.map(({ row, id, ...data }) => ({ row, id, event: 'step', data }))
}

export async function countSteps(db: Database, operation_id: string): Promise<number> {
  const [found] = await db.read
    .select({ count: sql<number>`count(*)` })
    .from(operation_steps)
    .where(eq(operation_steps.operation_id, operation_id))
  return found?.count ?? 0
}
