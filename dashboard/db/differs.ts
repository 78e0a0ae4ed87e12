import { getTableColumns, or, type SQL, sql, type Table } from 'drizzle-orm'

/**
 * The rows in which a column is not as in `values`: an update of the others would write what is there,
 * and count as a change. Undefined without values.
 */
export function differs<T extends Table>(
  table: T,
  values: Partial<T['$inferInsert']>,
): SQL | undefined {
  const columns = getTableColumns(table)
  return or(
    ...Object.entries(values).flatMap(([name, value]) => {
      const column = columns[name]
      return column ? [sql`${column} is not ${sql.param(value, column)}`] : []
    }),
  )
}
