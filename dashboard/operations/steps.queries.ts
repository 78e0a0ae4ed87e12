import { and, asc, eq, gt, gte, sql } from 'drizzle-orm'
import { LEFT_OUT } from '#dashboard/agents/output-limits.ts'
import type { Database, Queries, Statement } from '#dashboard/db/client.ts'
import { operation_events, operations } from '#dashboard/db/schema.ts'
import { operation_steps } from '#dashboard/db/steps-schema.ts'
import { isNumbered, type StoredEvent } from '#shared/sse.ts'
import { StepChange } from '#shared/steps.ts'

/** Events and changes of steps, in order, and whether the rest of the output is left out. */
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
    ...(events.some(({ data }) => data === LEFT_OUT) ? [full] : []),
  ]
}

/** Those stored after `row`, from the event `after` on; `row` is the start of the next call. */
export async function listSteps(
  db: Database,
  operation_id: string,
  { row, after }: { row: number; after: number },
): Promise<(StoredEvent & { row: number })[]> {
  const { id, name, title, state } = operation_steps
  const rows = await db.read
    .select({ row: id, id: operation_steps.after, name, title, state })
    .from(operation_steps)
    .where(
      and(
        eq(operation_steps.operation_id, operation_id),
        gt(id, row),
        gte(operation_steps.after, after),
      ),
    )
    .orderBy(asc(id))
  return rows.map(({ row, id, ...data }) => ({ row, id, event: 'step', data }))
}

export async function countSteps(db: Database, operation_id: string): Promise<number> {
  const [found] = await db.read
    .select({ count: sql<number>`count(*)` })
    .from(operation_steps)
    .where(eq(operation_steps.operation_id, operation_id))
  return found?.count ?? 0
}
