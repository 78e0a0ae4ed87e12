import type { Database } from '#dashboard/kernel/db/client.ts'
import { type AllMarked, listMarked } from '#dashboard/kernel/db/marked.queries.ts'
import { MARKED_TABLES, type MarkedTable, type Marks } from '#dashboard/kernel/db/marks.ts'
import type { Attention } from '#shared/overview/api/attention.ts'
import { counted, groupOf, item } from './item.ts'

/** What the rows are, and what makes them valid or removes them. */
const MEANING: Record<MarkedTable, readonly [what: string, advice: string]> = {
  users: ['user', 'restore a backup of the dashboard'],
  sessions: ['session', 'choose "Log out everywhere" on the page Account'],
  api_tokens: ['API token', 'delete them on the page Account'],
  server_agents: ['trusted agent', 'enrol the servers again that are offline for this reason'],
}

/** Rows that admit nobody, since somebody else than a dashboard with the seal-secret wrote them. */
export async function changedRecords({
  db,
  marks,
}: {
  db: Database
  marks: Marks
}): Promise<Attention[]> {
  const rows = await listMarked(db)
  const found = MARKED_TABLES.flatMap((table) => {
    const wrong = wrongIn(marks, table, rows[table])
    if (wrong === 0) return []
    const [what, advice] = MEANING[table]
    const reason = `The records of ${counted(wrong, what)} were changed outside of the dashboard and are not accepted: find out who can write to the database, then ${advice}`
    return [item({ severity: 'critical', name: 'Records of the dashboard', reason })]
  })
  return groupOf('records_changed', found)
}

const wrongIn = <T extends MarkedTable>(marks: Marks, table: T, rows: AllMarked[T]): number =>
  rows.filter((row) => !marks.fits(table, row)).length
