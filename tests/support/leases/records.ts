import { Database } from 'bun:sqlite'
import { type SQL, sql } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { type Fence, fenceStatement } from '#dashboard/kernel/db/fence.ts'
import type { LeaseRound } from '#dashboard/kernel/leases/held-leases.ts'
import { roundChanges, roundRows } from '#dashboard/kernel/leases/queries.ts'
import type { LeaseRow } from '#dashboard/kernel/leases/shares.ts'

type Value = string | number | null

const dialect = new SQLiteSyncDialect()
const LEASES =
  'create table leases (name text primary key not null, holder text not null, token integer not null, expires integer not null)'
const WORK = 'create table work (name text, holder text, token integer)'

/** The statements of the dashboard on a database in memory, whose clock is a number. */
export class LeaseRecords {
  readonly #sqlite = new Database(':memory:')
  readonly #ttl_ms: number

  constructor(ttl_ms: number) {
    this.#ttl_ms = ttl_ms
    this.#sqlite.run(LEASES)
    this.#sqlite.run(WORK)
  }

  empty(): void {
    this.#sqlite.run('delete from leases')
    this.#sqlite.run('delete from work')
  }

  round(round: LeaseRound, now: number): LeaseRow[] {
    const clock = sql.raw(String(Math.floor(now)))
    return this.#together(() => {
      for (const change of roundChanges(round, this.#ttl_ms, clock)) this.#all(change)
      return this.#all(roundRows(clock)) as LeaseRow[]
    })
  }

  /** A write of a dashboard, with the check of its lease in the same transaction. False if refused. */
  work(fence: Fence): boolean {
    const { sql: text, args } = fenceStatement([fence])
    try {
      return this.#together(() => {
        this.#sqlite.query(text).run(...(args as Value[]))
        const values = [fence.name, fence.holder, fence.token]
        this.#sqlite.query('insert into work values (?, ?, ?)').run(...values)
        return true
      })
    } catch (error) {
      if (error instanceof Error && error.message.includes('leases.token')) return false
      throw error
    }
  }

  /** The accepted writes of each share, in order. */
  accepted(): Fence[] {
    return this.#sqlite.query<Fence, []>('select name, holder, token from work').all()
  }

  close(): void {
    this.#sqlite.close()
  }

  #all(statement: SQL): unknown[] {
    const { sql: text, params } = dialect.sqlToQuery(statement)
    return this.#sqlite.query<unknown, Value[]>(text).all(...(params as Value[]))
  }

  #together<T>(work: () => T): T {
    return this.#sqlite.transaction(work).immediate()
  }
}
