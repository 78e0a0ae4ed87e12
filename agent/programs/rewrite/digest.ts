import { createHash, type Hash, hash } from 'node:crypto'
import type { Window } from './window.ts'

type Read = Pick<Window, 'bytes' | 'at'>

/** Which rows a digest leaves out: those with one of these values in a column. */
export interface Ignored {
  column: string
  values: readonly RegExp[]
}

const WORDS = 8

/**
 * Of the rows of a table, as they are read: the sum of their SHA-256. It does not depend on their
 * order, which an index may change, nor on how they are grouped into statements and chunks.
 */
export class TableDigest {
  readonly #ignored: readonly Ignored[]
  /** Each 32 bits on their own, without a carry. */
  readonly #sum = new Uint32Array(WORDS)
  /** Where the current row continues; -1: not inside a row. */
  #start = -1
  /** What was read of a row that is in several chunks. */
  #part: Hash | undefined
  #isLeftOut = false

  constructor(ignored: readonly Ignored[]) {
    this.#ignored = ignored
  }

  /** Whether the values of each column have to be shown to `value`. */
  watched(columns: readonly string[]): boolean[] {
    if (this.#ignored.length === 0) return []
    return columns.map((name) => this.#ignored.some(({ column }) => column === name))
  }

  value(column: string, text: string): void {
    const found = this.#ignored.some(
      (one) => one.column === column && one.values.some((pattern) => pattern.test(text)),
    )
    this.#isLeftOut ||= found
  }

  open({ at }: Read): void {
    this.#start = at
    this.#part = undefined
    this.#isLeftOut = false
  }

  close({ bytes, at }: Read): void {
    const row = bytes.subarray(this.#start, at + 1)
    this.#start = -1
    if (this.#isLeftOut) return
    const digest = this.#part?.update(row).digest() ?? hash('sha256', row, 'buffer')
    for (let word = 0; word < WORDS; word++) {
      this.#sum[word] = (this.#sum[word] ?? 0) + digest.readUInt32LE(4 * word)
    }
  }

  /** Takes what was read of a row: the bytes before the position may be dropped. */
  pass({ bytes, at }: Read): void {
    if (this.#start < 0 || at <= this.#start) return
    this.#part ??= createHash('sha256')
    this.#part.update(bytes.subarray(this.#start, at))
    this.#start = at
  }

  /** Positions have decreased. */
  shift(by: number): void {
    if (this.#start >= 0) this.#start -= by
  }

  sha256(): string {
    return createHash('sha256').update(this.#sum).digest('hex')
  }
}
