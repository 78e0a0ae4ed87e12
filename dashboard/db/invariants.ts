import type { Client } from '@libsql/client'
import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as records from './schema.ts'

/** The rules of all rows, each as a query for the names of violations. */
const RULES: readonly { says: string; sql: string }[] = [
  ...numbered('operation', 'operation_events', 'operation_id'),
  ...numbered('bulk operation', 'bulk_events', 'bulk_id'),
  {
    says: 'ended operation without its last event',
    sql: `SELECT id FROM operations AS it WHERE status NOT IN ('queued', 'running')
      AND finished_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-29 days')
      AND NOT EXISTS (SELECT 1 FROM operation_events WHERE operation_id = it.id AND event <> 'log')`,
  },
  {
    says: 'operation that goes on after its last event',
    sql: `SELECT id FROM operations AS it WHERE status IN ('queued', 'running')
      AND EXISTS (SELECT 1 FROM operation_events WHERE operation_id = it.id AND event <> 'log')`,
  },
  {
    says: 'operation whose outcome is not what its last event says',
    sql: `SELECT it.id FROM operations AS it JOIN operation_events AS last ON last.operation_id = it.id
      WHERE last.event <> 'log' AND (last.event = 'complete') <> (it.status = 'success')`,
  },
  {
    says: 'operation whose end and status disagree',
    sql: `SELECT id FROM operations
      WHERE (finished_at IS NULL) <> (status IN ('queued', 'running'))`,
  },
  {
    says: 'site with several running operations',
    sql: `SELECT site_id FROM operations WHERE status IN ('queued', 'running')
      AND site_id IS NOT NULL GROUP BY site_id HAVING count(*) > 1`,
  },
  {
    says: 'running operation for a missing site',
    sql: `SELECT id FROM operations WHERE status IN ('queued', 'running')
      AND site_id IS NOT NULL AND site_id NOT IN (SELECT id FROM sites)`,
  },
  {
    says: 'operation without its activity',
    sql: `SELECT id FROM operations
      WHERE id NOT IN (SELECT operation_id FROM activities WHERE operation_id IS NOT NULL)`,
  },
  {
    says: 'operation whose activity tells another outcome',
    sql: `SELECT it.id FROM operations AS it JOIN activities ON activities.operation_id = it.id
      WHERE activities.status <> CASE it.status WHEN 'queued' THEN 'running' ELSE it.status END`,
  },
  {
    says: 'site in the middle of a change that nobody makes',
    sql: `SELECT domain FROM sites AS it WHERE status IN ('provisioning', 'deleting')
      AND NOT EXISTS (SELECT 1 FROM operations
        WHERE site_id = it.id AND operations.status IN ('queued', 'running'))`,
  },
  {
    says: 'enrolled server with a key that is gone',
    sql: `SELECT server_id FROM server_agents
      WHERE kid <> '' AND kid NOT IN (SELECT kid FROM signing_keys)`,
  },
  ...Object.values(records).flatMap((table) => (is(table, SQLiteTable) ? readable(table) : [])),
]

const MOST = 5

/** Findings such as `ended operation without its last event: a, b`; needs the newest tables. */
export async function breachesOf(client: Client): Promise<string[]> {
  const findings: string[] = []
  for (const { says, sql } of RULES) {
    const { rows } = await client.execute(sql)
    if (rows.length === 0) continue
    const names = rows.slice(0, MOST).map((row) => String(row[0]))
    const more = rows.length > MOST ? `, and ${rows.length - MOST} more` : ''
    findings.push(`${says}: ${names.join(', ')}${more}`)
  }
  return findings
}

/** Events are numbered from 1 without a gap, and only the last may be a terminal one. */
function numbered(what: string, table: string, owner: string) {
  return [
    {
      says: `${what} with a gap in its events`,
      sql: `SELECT ${owner} FROM ${table} GROUP BY ${owner} HAVING min(id) <> 1 OR max(id) <> count(*)`,
    },
    {
      says: `${what} with an event after its end`,
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
    says: `row of ${name} whose ${column.name} cannot be read`,
    sql: `SELECT rowid FROM ${name} WHERE json_valid(${column.name}) = 0`,
  }))
}
