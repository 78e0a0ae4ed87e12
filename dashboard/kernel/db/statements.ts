import type { Client, InArgs, InStatement, TransactionMode } from '@libsql/client'

export type StatementBatch = readonly (InStatement | [string, InArgs?])[]

export const BEGIN: Record<TransactionMode, string> = {
  write: 'BEGIN IMMEDIATE',
  read: 'BEGIN TRANSACTION READONLY',
  deferred: 'BEGIN DEFERRED',
}

export function sqlAndArgs(statement: StatementBatch[number]): [sql: string, args: InArgs] {
  if (typeof statement === 'string') return [statement, []]
  if (Array.isArray(statement)) return [statement[0], statement[1] ?? []]
  return [statement.sql, statement.args ?? []]
}

/** Returns the statement of `execute`, which has its values in it or beside it. */
export function withArgs(statement: InStatement, args?: InArgs): InStatement {
  return args ? { sql: String(statement), args } : statement
}

/** Returns the client with these methods instead of its own. */
export function withMethods<M extends Partial<Client>>(client: Client, methods: M): Client & M {
  return new Proxy(client as Client & M, {
    get(target, key) {
      const value: unknown = Reflect.get(Object.hasOwn(methods, key) ? methods : target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
