import type { Client } from '@libsql/client'
import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as records from './schema.ts'

/** The rules of all rows, each as a query for the names of violations. */
const RULES: readonly { finding: string; sql: string }[] = [
  ...numbered('operation', 'operation_events', 'operation_id'),
  ...numbered('bulk operation', 'bulk_events', 'bulk_id'),
  {
    finding: 'ended operation without its last event',
    sql: `SELECT id FROM operations AS it WHERE status NOT IN ('queued', 'running')
      AND finished_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-29 days')
      AND NOT EXISTS (SELECT 1 FROM operation_events WHERE operation_id = it.id AND event <> 'log')`,
  },
  {
    finding: 'running operation that has a last event',
    sql: `SELECT id FROM operations AS it WHERE status IN ('queued', 'running')
      AND EXISTS (SELECT 1 FROM operation_events WHERE operation_id = it.id AND event <> 'log')`,
  },
  {
    finding: 'operation whose outcome differs from its last event',
    sql: `SELECT it.id FROM operations AS it JOIN operation_events AS last ON last.operation_id = it.id
      WHERE last.event <> 'log' AND (last.event = 'complete') <> (it.status = 'success')`,
  },
  {
    finding: 'operation whose end and status disagree',
    sql: `SELECT id FROM operations
      WHERE (finished_at IS NULL) <> (status IN ('queued', 'running'))`,
  },
  {
    finding: 'site with several running operations',
    sql: `SELECT site_id FROM operations WHERE status IN ('queued', 'running')
      AND site_id IS NOT NULL GROUP BY site_id HAVING count(*) > 1`,
  },
  {
    finding: 'running operation for a missing site',
    sql: `SELECT id FROM operations WHERE status IN ('queued', 'running')
      AND site_id IS NOT NULL AND site_id NOT IN (SELECT id FROM sites)`,
  },
  {
    finding: 'operation without its activity',
    sql: `SELECT id FROM operations
      WHERE id NOT IN (SELECT operation_id FROM activities WHERE operation_id IS NOT NULL)`,
  },
  {
    finding: 'operation whose activity has another outcome',
    sql: `SELECT it.id FROM operations AS it JOIN activities ON activities.operation_id = it.id
      WHERE activities.status <> CASE it.status WHEN 'queued' THEN 'running' ELSE it.status END`,
  },
  {
    finding: 'site that is being changed without an operation',
    sql: `SELECT domain FROM sites AS it WHERE status IN ('provisioning', 'deleting')
      AND NOT EXISTS (SELECT 1 FROM operations
        WHERE site_id = it.id AND operations.status IN ('queued', 'running'))`,
  },
  {
    finding: 'enrolled server with a missing key',
    sql: `SELECT server_id FROM server_agents
      WHERE kid <> '' AND kid NOT IN (SELECT kid FROM signing_keys)`,
  },
  ...Object.values(records).flatMap((table) => (is(table, SQLiteTable) ? readable(table) : [])),
]

const MAX_NAMES = 5

/** Returns findings such as `ended operation without its last event: a, b`. */
export async function breachesOf(client: Client): Promise<string[]> {
  const findings: string[] = []
  for (const { finding, sql } of RULES) {
    const { rows } = await client.execute(sql)
    if (rows.length === 0) continue
    const names = rows.slice(0, MAX_NAMES).map((row) => String(row[0]))
    const more = rows.length > MAX_NAMES ? `, and ${rows.length - MAX_NAMES} more` : ''
    findings.push(`${finding}: ${names.join(', ')}${more}`)
  }
  return findings
}

/** Events are numbered from 1 without a gap, and only the last may be a terminal one. */
function numbered(what: string, table: string, owner: string) {
  return [
    {
      finding: `${what} with a gap in its events`,
      sql: `SELECT ${owner} FROM ${table} GROUP BY ${owner} HAVING min(id) <> 1 OR max(id) <> count(*)`,
    },
    {
      finding: `${what} with an event after its end`,
      sql: `SELECT DISTINCT it.${owner} FROM ${table} AS it JOIN ${table} AS later
        ON later.${owner} = it.${owner} AND later.id > it.id WHERE it.event <> 'log'`,
    },
  ]
}

function readable(table: SQLiteTable) {
  const name = getTableName(table)
  const columns = Object.values(getTableColumns(table)).filter(
    ({ dataType }) => dataType === 'json',
  )
  return columns.map((column) => ({
    finding: `row of ${name} whose ${column.name} cannot be read`,
    sql: `SELECT rowid FROM ${name} WHERE json_valid(${column.name}) = 0`,
  }))
}
