import { Buffer } from 'node:buffer'
import type { NeedleSearch } from './needle-search.ts'
import type { TextEdit } from './rewrite-text.ts'

const AROUND = 80

/** The part of a dump that is in memory: what is not written yet, and what is not read yet. */
export class DumpWindow {
  bytes: Buffer = Buffer.alloc(0)
  /** The position of the next byte to read. */
  at = 0
  /** The position of the next possible occurrence. */
  next = Number.POSITIVE_INFINITY
  readonly total = { read: 0, written: 0 }
  readonly #gate: NeedleSearch
  readonly #write: (bytes: Uint8Array) => void
  #memory = Buffer.alloc(0)
  /** The reused buffer: an allocation for each value takes longer than its edits. */
  #scratch = Buffer.alloc(0)
  #written = 0
  #isMuted = false

  constructor(gate: NeedleSearch, write: (bytes: Uint8Array) => void) {
    this.#gate = gate
    this.#write = write
  }

  get end(): number {
    return this.bytes.length
  }

  /** Adds a chunk, and returns by how much all positions decrease. */
  append(chunk: Uint8Array): number {
    const shift = this.#written
    const end = this.end - shift
    const size = end + chunk.length
    const memory = size <= this.#memory.length ? this.#memory : Buffer.allocUnsafe(2 * size)
    if (shift > 0 || memory !== this.#memory) this.bytes.copy(memory, 0, shift)
    memory.set(chunk, end)
    this.#memory = memory
    this.bytes = memory.subarray(0, size)
    this.total.read += chunk.length
    this.at -= shift
    this.#written = 0
    this.#gate.shift(shift)
    this.look(this.at)
    return shift
  }

  look(from: number): void {
    this.next = this.#gate.next(this.bytes, from)
  }

  /** Returns whether there may be an address in Base64 between the last occurrence and `end`. */
  mayBeEncoded(end: number): boolean {
    return this.#gate.mayBeEncoded(end)
  }

  get isMuted(): boolean {
    return this.#isMuted
  }

  /** Leaves out everything from the present position on. */
  mute(): void {
    this.pass(this.at)
    this.#isMuted = true
  }

  /** Writes again from the present position on. */
  unmute(): void {
    this.pass(this.at)
    this.#isMuted = false
  }

  /** Writes everything before the position as it is. */
  pass(to: number): void {
    if (to > this.#written) this.#emit(this.bytes.subarray(this.#written, to))
    this.#written = Math.max(to, this.#written)
  }

  /** Writes everything up to the last edit. */
  replace(edits: readonly TextEdit[]): void {
    const end = edits.at(-1)?.end ?? this.#written
    this.pass(edits[0]?.start ?? end)
    const growth = edits.reduce((sum, edit) => sum + edit.text.length - edit.end + edit.start, 0)
    const size = end - this.#written + growth
    if (this.#scratch.length < size) this.#scratch = Buffer.allocUnsafe(2 * size)
    const bytes = this.#scratch
    let length = 0
    for (const { start, end: next, text } of edits) {
      length += this.bytes.copy(bytes, length, this.#written, start)
      length += bytes.write(text, length, 'latin1')
      this.#written = next
    }
    this.#emit(bytes.subarray(0, length))
  }

  /** Returns the text around a position, for an excerpt. */
  around(position: number): { text: string; at: number } {
    const from = Math.max(0, position - AROUND)
    return { text: this.bytes.toString('latin1', from, position + AROUND), at: position - from }
  }

  #emit(bytes: Uint8Array): void {
    if (this.#isMuted) return
    this.total.written += bytes.length
    this.#write(bytes)
  }
}
