import { Buffer } from 'node:buffer'

/** Shorter texts would be found by chance. */
const SHORTEST = 6

/** The characters of Base64 that a text always has, for each of its three alignments. */
export function base64Of(text: string): string[] {
  return [0, 1, 2]
    .map((offset) => {
      const encoded = Buffer.from('\0'.repeat(offset) + text, 'latin1').toString('base64')
      const isWhole = (offset + text.length) % 3 === 0
      const known = encoded.replace(/=+$/, '')
      return known.slice(offset && offset + 1, isWhole ? undefined : -1)
    })
    .filter((known) => known.length >= SHORTEST)
}
