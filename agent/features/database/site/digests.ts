import type { Host } from '#agent/kernel/host/ports.ts'
import { type AgentDatabase, MAX_DIGESTS } from '#shared/database/site-database.ts'

/**
 * The statements that took the most time since MariaDB was started, without the values in them. Null
 * if the performance schema is off, as it is on Debian.
 */
export async function readDigests(
  { database }: Host,
  user: string,
): Promise<AgentDatabase['queries']> {
  const [state] = await database.admin('read_performance_schema')
  if (Number(state?.enabled ?? 0) !== 1) return null
  const rows = await database.admin('list_statement_digests', [user, MAX_DIGESTS])
  return rows.map(({ text, last_at, ...numbers }) => {
    const of = (name: string) => Number(numbers[name] ?? 0)
    return {
      ...{ text: String(text), count: of('count'), total_ms: of('total_ms') },
      ...{ longest_ms: of('longest_ms'), rows_examined: of('rows_examined') },
      ...{ rows_sent: of('rows_sent'), without_index: of('without_index') },
      last_at: new Date(Number(last_at) * 1000).toISOString(),
    }
  })
}
