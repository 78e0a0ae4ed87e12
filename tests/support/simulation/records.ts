import { type Client, createClient } from '@libsql/client'
import { type Database, databaseOn } from '#dashboard/db/client.ts'
import { migrate } from '#dashboard/db/migrations.ts'
import type { Process } from './process.ts'

/** A database in memory that outlives the processes which use it; the real one, with its constraints. */
export class Records {
  readonly #client: Client

  private constructor(client: Client) {
    this.#client = client
  }

  static async open(): Promise<Records> {
    const client = createClient({ url: 'file::memory:' })
    await migrate(client)
    return new Records(client)
  }

  /** As it was when it was made. */
  async empty(): Promise<void> {
    const kept = `'sqlite_sequence', '__drizzle_migrations'`
    const { rows } = await this.#client.execute(
      `select name from sqlite_master where type = 'table' and name not in (${kept})`,
    )
    const names = rows.map(({ name }) => String(name))
    await this.#client.batch(
      ['sqlite_sequence', ...names].map((name) => `delete from ${name}`),
      'write',
    )
  }

  /** How many operations have not come to an end: without the detour, since it is asked all the time. */
  async underWay(): Promise<number> {
    const { rows } = await this.#client.execute(
      `select count(*) as total from operations where status in ('queued', 'running')`,
    )
    return Number(rows[0]?.total ?? 0)
  }

  /** For the tests themselves. */
  get whole(): Database {
    return databaseOn(this.#client)
  }

  /** For one process: each statement takes a while, a batch is there whole or not at all. */
  reachedBy(process: Process): Database {
    const client = this.#client
    const gated: Pick<Client, 'execute' | 'batch' | 'close'> = {
      execute: (...given: [never]) =>
        process.act(() => client.execute(...given)).then((all) => all),
      batch: (...given) => process.act(() => client.batch(...given)).then((all) => all),
      close: () => undefined,
    }
    return databaseOn(gated as Client)
  }
}
