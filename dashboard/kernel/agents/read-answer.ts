import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { yieldToEventLoop } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import { offline } from '#shared/kernel/errors.ts'
import type { ListAnswer } from '#shared/kernel/reading.ts'
import { MAX_LIST_BYTES, MAX_LIST_ENTRIES } from './budgets.ts'

const CHUNK = 32 << 10

export async function readJson(response: IncomingMessage, most: number): Promise<unknown> {
  const chunks: Buffer[] = []
  await readAll(response, most, (chunk) => chunks.push(chunk))
  return parseJson(Buffer.concat(chunks).toString('utf8'))
}

/** The read entries and the total of all: those beyond a number are only counted. */
export interface CountedList<T> {
  entries: T[]
  total: number
}

/** The content of an answer; undefined when it is not what the contract says. */
export type ContentOf<F> =
  F extends ListAnswer<string, infer E, infer B>
    ? CountedList<z.output<E>> & { beside: z.output<B> }
    : F extends z.ZodType
      ? z.output<F>
      : never

/** Returns undefined when an entry is invalid. Other work runs in between. */
export async function readList<E extends z.ZodType, B extends z.ZodType>(
  response: IncomingMessage,
  { key, entry, beside }: ListAnswer<string, E, B>,
): Promise<(CountedList<z.output<E>> & { beside: z.output<B> }) | undefined> {
  const listed: CountedList<z.output<E>> = { entries: [], total: 0 }
  let isGood = true
  const reader = new ListReader(key, (text) => {
    listed.total += 1
    if (!isGood || listed.total > MAX_LIST_ENTRIES) return
    const read = entry.safeParse(parseJson(text))
    if (read.success) listed.entries.push(read.data)
    isGood = read.success
  })
  let size = 0
  for await (const piece of chunksFrom(response)) {
    size += piece.length
    if (size > MAX_LIST_BYTES) throw tooLarge()
    reader.add(piece)
    if (!isGood) return undefined
  }
  const rest = beside.safeParse(reader.end())
  return rest.success ? { ...listed, beside: rest.data } : undefined
}

/** Returns the SHA-256 of an answer, which is not parsed. */
export async function readDigest(response: IncomingMessage): Promise<string> {
  const hash = createHash('sha256')
  await readAll(response, MAX_LIST_BYTES, (chunk) => hash.update(chunk))
  return hash.digest('base64url')
}

/** Reads a short answer whole. An async iterator would take longer than the answer. */
function readAll(
  response: IncomingMessage,
  most: number,
  take: (chunk: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= most) take(chunk)
      else response.destroy(tooLarge())
    })
    response.on('end', resolve)
    response.on('error', reject)
    response.on('close', () => reject(new Error('The answer ended early')))
  })
}

const tooLarge = () => offline('The agent sent an answer that is too large')

/** Returns the bytes of an answer in small chunks: other work runs in between. */
export async function* chunksFrom(response: IncomingMessage): AsyncGenerator<Uint8Array> {
  for await (const chunk of response) {
    for (let from = 0; from < chunk.length; from += CHUNK) {
      yield chunk.subarray(from, from + CHUNK)
      await yieldToEventLoop()
    }
  }
}

/** The maximum of one entry in bytes, and of everything around the list. */
const MAX_TEXT = 64 << 10
/** The number of characters before a list that are looked at, more than `"certificates" : ` has. */
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

  end(): Record<string, unknown> {
    const frame = Object(parseJson(this.#frame))
    const list = frame[this.#key]
    if (this.#lists !== 1 || !Array.isArray(list) || list.length > 0) throw malformedAnswer()
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
    if (text === '' && !isEmpty) throw malformedAnswer()
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

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformedAnswer()
  }
}

const malformedAnswer = () => offline('The agent sent an answer that is not JSON')
