import { Database as Sqlite } from 'bun:sqlite'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Client, InStatement, ResultSet } from '@libsql/client'
import { type Database, databaseOnClient, openDatabase } from '#dashboard/kernel/db/client.ts'
import type { Process } from './process.ts'

type Statement = Exclude<InStatement, string>

/** A database in memory that outlives its processes; the real one, with its constraints. */
export class Records {
  /** For the tests themselves. */
  readonly whole: Database
  readonly #sqlite: Sqlite

  private constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite
    this.whole = databaseOnClient(this.#client((effect) => effect()))
  }

  static async open(): Promise<Records> {
    const file = `${tmpdir()}/simulation-${crypto.randomUUID()}.db`
    try {
      const made = await openDatabase(`file:${file}`)
      made.close()
      const stored = new Sqlite(file)
      stored.run('PRAGMA journal_mode = DELETE')
      const sqlite = Sqlite.deserialize(stored.serialize())
      sqlite.run('PRAGMA foreign_keys = ON')
      return new Records(sqlite)
    } finally {
      for (const end of ['', '-wal', '-shm']) await rm(file + end, { force: true })
    }
  }

  /** Empties all its tables. */
  empty(): void {
    const named = `select name from sqlite_master where type = 'table' and sql not like '%migrations%'`
    const names = this.#sqlite.query<{ name: string }, []>(named).all()
    this.#sqlite.transaction(() => {
      for (const { name } of names) this.#sqlite.query(`delete from ${name}`).run()
      this.#sqlite.query('delete from sqlite_sequence').run()
    })()
  }

  /** The number of unfinished operations. */
  get unfinished(): number {
    const sql = `select count(*) from operations where status in ('queued', 'running')`
    return Number(this.#sqlite.query(sql).values()[0]?.[0] ?? 0)
  }

  /** For one process: each statement takes a while, a batch is all or nothing. */
  reachedBy(process: Process): Database {
    return databaseOnClient(this.#client((effect) => process.act(effect)))
  }

  /** The libSQL client that drizzle uses, on SQLite in this process, with cached statements. */
  #client(door: <T>(effect: () => T) => T | Promise<T>): Client {
    const run = (statement: Statement) => this.#run(statement)
    const whole = this.#sqlite.transaction((statements: Statement[]) => statements.map(run))
    const client: Pick<Client, 'close'> & Record<'execute' | 'batch', unknown> = {
      execute: async (statement: Statement) => door(() => run(statement)),
      batch: async (statements: Statement[]) => door(() => whole(statements)),
      close: () => undefined,
    }
    return client as Client
  }

  #run({ sql, args }: Statement): Pick<ResultSet, 'rows' | 'rowsAffected'> {
    const query = this.#sqlite.query(sql)
    const rows = query.values(...((args ?? []) as never[]))
    const rowsAffected = this.#sqlite.query('select changes()').values()[0]?.[0]
    return { rows: rows as unknown as ResultSet['rows'], rowsAffected: Number(rowsAffected ?? 0) }
  }
}
