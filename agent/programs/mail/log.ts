import { appendFileSync, renameSync, statSync } from 'node:fs'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'
import type { LogLevel } from '#shared/logs/site-logs.ts'

/** The maximum size of each of the two files of the log, in bytes. */
export const MAX_MAIL_LOG = 2 << 20
const MAX_TEXT = 1000

/**
 * The delivery of each message of a site: a line of JSON for each event, without content or
 * subject. A line that cannot be written is lost: delivery continues.
 */
export class MailLog {
  readonly #path: string
  readonly #now: () => number
  #size: number | undefined

  constructor(path: string, now: () => number = Date.now) {
    this.#path = path
    this.#now = now
  }

  add(level: LogLevel, text: string): void {
    const entry = { at: new Date(this.#now()).toISOString(), level, text: text.slice(0, MAX_TEXT) }
    const line = `${JSON.stringify(entry)}\n`
    undefinedIfThrows(() => {
      this.#size ??= undefinedIfThrows(() => statSync(this.#path).size) ?? 0
      if (this.#size + line.length > MAX_MAIL_LOG) this.#rotate()
      appendFileSync(this.#path, line, { mode: 0o600 })
      this.#size += Buffer.byteLength(line)
    })
  }

  #rotate(): void {
    undefinedIfThrows(() => renameSync(this.#path, `${this.#path}.1`))
    this.#size = 0
  }
}
