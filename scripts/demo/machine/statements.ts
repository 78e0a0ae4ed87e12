import type { Machine } from './machine.ts'

type Row = Record<string, unknown>

/** WordPress' options for the scan. Throws MariaDB's message for a broken table. */
export function query(machine: Machine, sql: string, values: readonly unknown[]): Row[] {
  return sql.startsWith('SET STATEMENT') ? optionsOf(machine, String(values[0])) : []
}

/** With MariaDB's number of the error. */
const refused = (errno: number, message: string) =>
  Object.assign(new Error(`MariaDB: ${message}`), { errno })

function optionsOf({ databases }: Machine, name: string): Row[] {
  // A temporary site that attacks another one finds nothing.
  if (name.startsWith('canary-')) return []
  const database = databases.get(name)
  if (!database?.kit) throw refused(1146, `Table '${name}.options' doesn't exist`)
  if (database.broken) throw refused(1194, `Table '${name}.options' is marked as crashed`)
  return [...database.kit.options]
}
