import type { Database, Machine } from './machine.ts'

type Row = Record<string, unknown>
type Statement = (machine: Machine, name: string) => Row[]

const PACKET = 2 ** 24

/** By how a statement begins. */
const STATEMENTS: readonly [string, Statement][] = [
  ['SELECT option_name', (machine, name) => optionsOf(machine, name)],
  ['SELECT SCHEMA_NAME', ({ databases }, name) => (databases.has(name) ? [{}] : [])],
  ['SELECT User', ({ accounts }, name) => (accounts.has(name) ? [{}] : [])],
  ['SELECT (SELECT SUM', ({ databases }, name) => sizeOf(databases.get(name))],
  ['SELECT @@GLOBAL', () => [{ bytes: PACKET }]],
  ['SHOW CREATE USER', (_, name) => [{ sql: `CREATE USER ${name}` }]],
  ['CREATE DATABASE', ({ databases }, name) => none(databases.set(name, emptyDatabase()))],
  ['CREATE USER', ({ accounts }, name) => none(accounts.add(name))],
  ['DROP USER', ({ accounts }, name) => none(accounts.delete(name))],
  ['DROP DATABASE', ({ databases }, name) => none(databases.delete(name))],
]

/** What MariaDB answers. Throws its words for a table that is broken. */
export function query(machine: Machine, sql: string, values: readonly unknown[]): Row[] {
  const name = String(values[0] ?? sql.split(' ').at(-1))
  const known = STATEMENTS.find(([start]) => sql.startsWith(start))
  return known?.[1](machine, name) ?? []
}

const emptyDatabase = (): Database => ({ kit: undefined, broken: false, bytes: 4096 })

const none = (_: unknown): Row[] => []

const sizeOf = (database: Database | undefined) => (database ? [{ bytes: database.bytes }] : [])

function optionsOf({ databases }: Machine, name: string): Row[] {
  const database = databases.get(name)
  if (!database?.kit) throw new Error(`MariaDB: Table '${name}.options' doesn't exist`)
  if (database.broken) throw new Error(`MariaDB: Table '${name}.options' is marked as crashed`)
  return [...database.kit.options]
}
