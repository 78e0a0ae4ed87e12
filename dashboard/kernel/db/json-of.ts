import { type SQL, sql } from 'drizzle-orm'

/** An expression whose text is JSON, parsed when it is read. */
export const jsonOf = <T>(expression: SQL) =>
  sql<T>`${expression}`.mapWith((text: unknown): T => JSON.parse(String(text)))
