import { type BinaryToTextEncoding, createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/** Returns the digest of a file of any size. */
export async function digestOf(
  file: string,
  algorithm: 'sha1' | 'sha256' | 'sha512',
  encoding: BinaryToTextEncoding = 'hex',
): Promise<string> {
  const hash = createHash(algorithm)
  await pipeline(createReadStream(file), hash)
  return hash.digest(encoding)
}
