import { Buffer } from 'node:buffer'
import { closeSync, fstatSync } from 'node:fs'
import { MAX_LOG_LINE } from '#shared/logs/site-logs.ts'
import { type LogFile, openLog, readAt } from './files.ts'
import { firstBegin, type Region } from './regions.ts'

const MAX_READ = 16 << 20
const MAX_KEPT = MAX_LOG_LINE + 1
const NOTHING = Buffer.alloc(0)

/** A log that is followed: what was added since the last look, also after a rotation. */
export class Growing {
  readonly #path: string
  readonly #begins: RegExp | undefined
  #file: LogFile | undefined
  #at = 0
  #carried: Buffer = NOTHING

  constructor(path: string, begins: RegExp | undefined) {
    this.#path = path
    this.#begins = begins
    this.#file = openLog(path)
    this.#at = this.#file?.size ?? 0
  }

  /** The new whole entries; the last one only when nothing follows it any more. */
  look(): Region | undefined {
    const added = this.#added()
    const joined = added.length > 0 ? Buffer.concat([this.#carried, added]) : this.#carried
    const end = this.#end(joined, added.length === 0)
    const bytes = joined.subarray(0, end)
    this.#carried = Buffer.from(joined.subarray(end))
    if (this.#carried.length > MAX_READ) this.#carried = this.#carried.subarray(0, MAX_KEPT)
    return bytes.length > 0 ? { bytes, from: 0 } : undefined
  }

  close(): void {
    if (this.#file) closeSync(this.#file.descriptor)
    this.#file = undefined
  }

  #added(): Buffer {
    this.#reopen()
    if (!this.#file) return NOTHING
    const { size } = fstatSync(this.#file.descriptor)
    // logrotate copies the log and makes it empty.
    if (size < this.#at) this.#at = 0
    const bytes = readAt(this.#file, this.#at, Math.min(MAX_READ, size - this.#at))
    this.#at += bytes.length
    return bytes
  }

  /** The name may be another file's by now; the former one is left when it was read to its end. */
  #reopen(): void {
    const next = openLog(this.#path)
    if (!next) return
    if (this.#file && isSame(this.#file, next)) {
      closeSync(next.descriptor)
      return
    }
    this.close()
    this.#file = next
    this.#at = 0
  }

  #end(bytes: Buffer, isQuiet: boolean): number {
    const newline = bytes.lastIndexOf(10) + 1
    if (!this.#begins || isQuiet) return newline
    let last = 0
    for (let at = 0; ; at = last) {
      const begin = firstBegin(bytes.subarray(at), this.#begins)
      if (begin < 0) return last
      last = at + begin
    }
  }
}

function isSame(one: LogFile, other: LogFile): boolean {
  const [here, there] = [fstatSync(one.descriptor), fstatSync(other.descriptor)]
  return here.ino === there.ino && here.dev === there.dev
}
