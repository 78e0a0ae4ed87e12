import { sql } from 'drizzle-orm'
import type { Queries, Statement } from '#dashboard/db/client.ts'

/** A row of metrics_quarters, its columns in their order. */
export type QuarterRow = readonly number[]

/** A month of a server in one statement: row by row it takes ten times as long. */
export function quartersStatement(queries: Queries, rows: readonly QuarterRow[]): Statement {
  return queries.run(sql`
    insert into metrics_quarters
      (key, cpu, ram_used, ram_total, disk_used, disk_total, load1, load5, load15, cpu_max)
    select row.value ->> 0, row.value ->> 1, row.value ->> 2, row.value ->> 3, row.value ->> 4,
      row.value ->> 5, row.value ->> 6, row.value ->> 7, row.value ->> 8, row.value ->> 9
    from json_each(${JSON.stringify(rows)}) as row`)
}
