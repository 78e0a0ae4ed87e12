import { offline } from '#shared/kernel/errors.ts'

/** The maximum of one entry in bytes, and of everything around the list. */
const MAX_TEXT = 64 << 10
/** Longer than `"certificates" : `. */
const TAIL = 64
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d]

/**
 * Reads `{"<key>": [entry, …]}` as it arrives, and returns each entry as JSON text: a list of any
 * length is never parsed at once. Throws a ServiceError when the text around the entries is not
 * JSON with one such list, or when it or an entry is over 64 KiB.
 */
export class ListReader {
  readonly #take: (entry: string) => void
  readonly #key: string
  readonly #isKey: RegExp
  /** The text around the entries. */
  #frame = ''
  /** The bytes of the incomplete entry. */
  #entry: Uint8Array[] = []
  #size = 0
  #depth = 0
  #string = false
  #escaped = false
  #open = false
  #lists = 0
  #entries = 0

  constructor(key: string, take: (entry: string) => void) {
    this.#key = key
    this.#take = take
    this.#isKey = new RegExp(`"${key}"\\s*:\\s*\\[$`)
  }

  add(piece: Uint8Array): void {
    let from = 0
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0
      if (this.#isText(byte) || !this.#isBorder(byte)) continue
      // A bracket belongs to the text around the list, a comma to nothing.
      const bracket = byte !== COMMA
      this.#keep(piece.subarray(from, !this.#open && bracket ? at + 1 : at))
      from = this.#open && bracket ? at : at + 1
      this.#cross(byte)
    }
    this.#keep(piece.subarray(from))
  }

  /** Returns what is around the entries. */
  end(): Record<string, unknown> {
    const frame = Object(parsed(this.#frame))
    const list = frame[this.#key]
    if (this.#lists !== 1 || !Array.isArray(list) || list.length > 0) throw malformed()
    return frame
  }

  /** Whether the byte is in a string or begins one. */
  #isText(byte: number): boolean {
    if (!this.#string) {
      this.#string = byte === QUOTE
      return this.#string
    }
    if (this.#escaped) this.#escaped = false
    else if (byte === BACKSLASH) this.#escaped = true
    else if (byte === QUOTE) this.#string = false
    return true
  }

  /** Whether a list may start here, or an entry end. */
  #isBorder(byte: number): boolean {
    if (byte === OPEN || byte === OPEN_LIST) {
      this.#depth += 1
      return byte === OPEN_LIST && this.#depth === 2
    }
    if (byte === CLOSE || byte === CLOSE_LIST) {
      this.#depth -= 1
      return this.#open && this.#depth === 1
    }
    return byte === COMMA && this.#open && this.#depth === 2
  }

  #cross(byte: number): void {
    if (!this.#open) {
      this.#open = this.#isKey.test(this.#frame.slice(-TAIL))
      if (this.#open) this.#lists += 1
      return
    }
    const text = Buffer.concat(this.#entry.splice(0)).toString('utf8').trim()
    this.#size = 0
    const isEmpty = text === '' && byte !== COMMA && this.#entries === 0
    if (text === '' && !isEmpty) throw malformed()
    if (!isEmpty) this.#take(text)
    this.#entries += 1
    this.#open = byte === COMMA
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#size += this.#open ? bytes.length : 0
    // Only its structure is read: each byte may be a character.
    if (!this.#open) this.#frame += Buffer.from(bytes).toString('latin1')
    else this.#entry.push(bytes)
    if (this.#size > MAX_TEXT || this.#frame.length > MAX_TEXT)
      throw offline('The agent sent an answer that is too large')
  }
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed()
  }
}

const malformed = () => offline('The agent sent an answer that is not JSON')
