import { Buffer } from 'node:buffer'
import { type AgentLogLine, MOST_LOG_TEXT, MOST_PAGE } from '#shared/site-logs.ts'

/** The largest line in JSON. */
const RESERVE = 4 * MOST_LOG_TEXT

/** The remaining space of a page, in lines and in bytes. */
export class Room {
  #lines: number
  #bytes = MOST_PAGE

  constructor(lines: number) {
    this.#lines = lines
  }

  /** Whether another line fits after this one. */
  has(line: AgentLogLine): boolean {
    this.#lines -= 1
    this.#bytes -= Buffer.byteLength(JSON.stringify(line))
    return this.#lines > 0 && this.#bytes > RESERVE
  }
}
