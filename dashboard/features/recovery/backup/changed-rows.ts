import type { AllMarked } from '#dashboard/kernel/db/marked.queries.ts'
import { MARKED_TABLES, type MarkedTable, Marks } from '#dashboard/kernel/db/marks.ts'
import type { Secret } from '#shared/kernel/secret.ts'

const MAX_NAMED = 20
const MAX_SHOWN = 64

type NameOf<T extends MarkedTable> = (row: AllMarked[T][number]) => string

/** Whoever wrote the row chose it. */
const shown = (value: string) => value.replace(/\p{C}/gu, '?').slice(0, MAX_SHOWN)

const NAMES: { [T in MarkedTable]: NameOf<T> } = {
  users: ({ id }) => `user ${id}`,
  sessions: ({ user_id, created_at }) => `session of user ${user_id} from ${shown(created_at)}`,
  api_tokens: ({ user_id, name }) => `API token ${shown(name)} of user ${user_id}`,
  server_agents: ({ server_id }) => `trusted agent of server ${server_id}`,
}

/** The findings about rows that admit and that no dashboard with this secret has written. */
export function changedRows(rows: AllMarked, secret: Secret): string[] {
  const marks = new Marks(secret.reveal(), { error: () => undefined })
  return MARKED_TABLES.flatMap((table) => changedIn(marks, table, rows[table]))
}

function changedIn<T extends MarkedTable>(marks: Marks, table: T, rows: AllMarked[T]): string[] {
  const changed = rows.filter((row) => !marks.fits(table, row))
  const named = changed
    .slice(0, MAX_NAMED)
    .map(
      (row) =>
        `${NAMES[table](row)}: the row was changed outside of the dashboard and is not accepted`,
    )
  if (changed.length <= MAX_NAMED) return named
  return [...named, `${changed.length} rows of ${table} have no valid mark`]
}
