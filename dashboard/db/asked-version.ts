import type { Client } from '@libsql/client'
import { VERSION } from './counting.ts'
import type { Version } from './version.ts'

/** Asks a server for the version of the records: one query at a time, for all that wait for it. */
export class AskedVersion {
  readonly #client: Client
  #last: Promise<unknown> = Promise.resolve()
  #next: Promise<Version | undefined> | undefined

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Read after this call: it includes every write that was acknowledged before. Undefined when the
   * server does not answer.
   */
  ask(): Promise<Version | undefined> {
    this.#next ??= this.#last.then(() => {
      const version = this.#read()
      this.#last = version
      this.#next = undefined
      return version
    })
    return this.#next
  }

  async #read(): Promise<Version | undefined> {
    try {
      const [row] = (await this.#client.execute(VERSION)).rows
      return row && { substance: String(row.substance), readings: String(row.readings) }
    } catch {
      return undefined
    }
  }
}
