import { Buffer } from 'node:buffer'
import { type AgentLogLine, MAX_LOG_TEXT, MAX_PAGE } from '#shared/logs/site-logs.ts'

/** The maximum size of a line in JSON. */
const RESERVE = 4 * MAX_LOG_TEXT

/** The remaining space of a page, in lines and in bytes. */
export class PageSpace {
  #lines: number
  #bytes = MAX_PAGE

  constructor(lines: number) {
    this.#lines = lines
  }

  /** Returns whether another line fits after this one. */
  has(line: AgentLogLine): boolean {
    this.#lines -= 1
    this.#bytes -= Buffer.byteLength(JSON.stringify(line))
    return this.#lines > 0 && this.#bytes > RESERVE
  }
}
