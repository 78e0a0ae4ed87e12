import { Buffer } from 'node:buffer'
import type { AddressAnchor } from './rules.ts'

interface Needle {
  text: string
  bytes: Buffer
  at: number
  isFound: boolean
}

/** Finds the next occurrence of a needle in a dump at the speed of a search for bytes. */
export class NeedleSearch {
  readonly #needles: Needle[]
  readonly #encoded: Needle[]

  constructor(anchors: readonly AddressAnchor[]) {
    const texts = new Set(anchors.flatMap(needlesOf))
    this.#needles = [...texts]
      .filter((text) => ![...texts].some((other) => other !== text && text.includes(other)))
      .map((text) => ({ text, bytes: Buffer.from(text, 'latin1'), at: 0, isFound: false }))
    const encoded = anchors.flatMap(({ is_host, base64 }) => (is_host ? base64 : []))
    this.#encoded = this.#needles.filter(({ text }) => encoded.some((one) => one.includes(text)))
  }

  /** Returns whether the bytes from the last occurrence up to `end` may have a Base64 address. */
  mayBeEncoded(end: number): boolean {
    for (const { isFound, at } of this.#encoded) if (isFound && at < end) return true
    return false
  }

  /** Returns the first needle that starts at `from` or later; `Infinity` for none. */
  next(bytes: Buffer, from: number): number {
    let first = Number.POSITIVE_INFINITY
    for (const needle of this.#needles) {
      if (!needle.isFound || needle.at < from) search(bytes, from, needle)
      if (needle.isFound) first = Math.min(first, needle.at)
    }
    return first
  }

  /** Adjusts positions after `by` bytes were dropped. */
  shift(by: number): void {
    for (const needle of this.#needles) needle.at -= by
  }
}

/** Searches only bytes that were not searched before. */
function search(bytes: Buffer, from: number, needle: Needle): void {
  const start = Math.max(from, needle.at)
  const at = bytes.indexOf(needle.bytes, start)
  needle.isFound = at >= 0
  needle.at = at >= 0 ? at : Math.max(start, bytes.length - needle.bytes.length + 1)
}

/** Returns hosts also as hexadecimal digits and in Base64; paths are not reported there. */
function needlesOf({ text, is_host, base64 }: AddressAnchor): string[] {
  const hex = Buffer.from(text, 'latin1').toString('hex')
  return [text, hex, hex.toUpperCase(), ...(is_host ? base64 : [])]
}
