export type Random = (bytes: number) => Uint8Array

export const secureRandom: Random = (bytes) => crypto.getRandomValues(new Uint8Array(bytes))

/** Returns URL-safe text of `bytes` random bytes: 16 for an identifier, 32 for a secret. */
export function randomText(random: Random, bytes: number): string {
  return Buffer.from(random(bytes)).toString('base64url')
}

/** Returns `length` characters of the alphabet, each equally likely. */
export function randomOf(random: Random, alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length)
    for (const byte of random(length))
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length]
  return text
}
