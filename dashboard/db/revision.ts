import { existsSync } from 'node:fs'
import Sqlite from 'libsql'

interface Connection {
  sqlite: Sqlite.Database
  version: Sqlite.Statement<[]>
}

/** More than a connection counts: versions of different connections are never equal. */
const PER_CONNECTION = 2 ** 32

/**
 * A number for the state of a database file: another one after each commit, of this process and of
 * others (`PRAGMA data_version`, 3 µs). It must be libSQL here too: a second SQLite in the process would
 * release the first one's locks (sqlite.org/howtocorrupt.html, 2.2).
 */
export class Revision {
  readonly #file: string
  #connection: Connection | undefined
  #connections = 0

  constructor(file: string) {
    this.#file = file
  }

  /** Undefined when the file cannot be read at the moment. */
  current(): number | undefined {
    try {
      this.#connection ??= this.#open()
      const [version] = this.#connection.version.get() as [number]
      return this.#connections * PER_CONNECTION + version
    } catch {
      this.close()
      return undefined
    }
  }

  close(): void {
    this.#connection?.sqlite.close()
    this.#connection = undefined
  }

  #open(): Connection {
    // libSQL's own options for this have no effect: it would create the file.
    if (!existsSync(this.#file)) throw new Error('The database file is missing')
    this.#connections += 1
    const sqlite = new Sqlite(this.#file)
    return { sqlite, version: sqlite.prepare<[]>('PRAGMA data_version').raw() }
  }
}
