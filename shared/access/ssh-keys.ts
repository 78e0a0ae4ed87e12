/** The types that sshd accepts here: no DSA, and no certificates, which others could sign. */
export const SSH_KEY_TYPES = [
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
] as const
type SshKeyType = (typeof SSH_KEY_TYPES)[number]

/** The maximum length of a line: an RSA key of 16,384 bits with a comment. */
export const MAX_KEY_TEXT = 4096
const MIN_RSA_BITS = 2048
const MAX_RSA_BITS = 16_384

export interface SshKey {
  type: SshKeyType
  /** The key in base64, as in the file `id_….pub`. */
  blob: string
  comment: string
}

/** Reads the fields of a key. Throws a RangeError at the end of the bytes: RFC 4251, section 5. */
class KeyReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Returns the next field as latin1. */
  field(): string {
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength)
    const length = view.getUint32(this.#at)
    const [from, to] = [this.#at + 4, this.#at + 4 + length]
    if (to > this.#bytes.length) throw new RangeError('The key is cut off')
    this.#at = to
    return Array.from(this.#bytes.subarray(from, to), (byte) => String.fromCharCode(byte)).join('')
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }
}

/** The checks of each type, which return a sentence for what is not a key of it. */
const CHECKS: Record<SshKeyType, (key: KeyReader) => string | undefined> = {
  'ssh-ed25519': (key) => ed25519(key),
  'ssh-rsa': (key) => rsa(key),
  'ecdsa-sha2-nistp256': (key) => ecdsa(key, 'nistp256', 65),
  'ecdsa-sha2-nistp384': (key) => ecdsa(key, 'nistp384', 97),
  'ecdsa-sha2-nistp521': (key) => ecdsa(key, 'nistp521', 133),
  'sk-ssh-ed25519@openssh.com': (key) => ed25519(key) ?? application(key),
  'sk-ecdsa-sha2-nistp256@openssh.com': (key) => ecdsa(key, 'nistp256', 65) ?? application(key),
}

const BROKEN = 'Must be a complete public key'

const ed25519 = (key: KeyReader) => (key.field().length === 32 ? undefined : BROKEN)
const application = (key: KeyReader) => (key.field().length > 0 ? undefined : BROKEN)

function ecdsa(key: KeyReader, curve: string, length: number): string | undefined {
  const [name, point] = [key.field(), key.field()]
  return name === curve && point.length === length && point.startsWith('\x04') ? undefined : BROKEN
}

function rsa(key: KeyReader): string | undefined {
  const [exponent, modulus] = [key.field(), key.field().replace(/^\0+/, '')]
  const first = modulus.charCodeAt(0)
  const bits = modulus === '' ? 0 : 8 * (modulus.length - 1) + first.toString(2).length
  if (exponent === '' || bits > MAX_RSA_BITS) return BROKEN
  return bits < MIN_RSA_BITS ? `An RSA key must have at least ${MIN_RSA_BITS} bits` : undefined
}

/**
 * Parses one line as in `id_….pub`: type, key, and an optional comment. Nothing stands before the
 * type: options of authorized_keys(5) are refused. Returns the rule that the text breaks otherwise.
 */
export function readSshKey(text: string): SshKey | string {
  const line = text.trim()
  if (/PRIVATE KEY/.test(line)) return 'Must be the public key: never send the private key'
  if (line.length > MAX_KEY_TEXT) return `Must have at most ${MAX_KEY_TEXT} characters`
  if (/\p{Cc}/u.test(line)) return 'Must be one line'
  const [given = '', blob = '', ...words] = line.split(/ +/)
  const type = SSH_KEY_TYPES.find((known) => known === given)
  if (!type) return `Must begin with one of ${SSH_KEY_TYPES.join(', ')}`
  const problem = problemIn(type, blob)
  return problem ?? { type, blob, comment: words.join(' ') }
}

function problemIn(type: SshKeyType, blob: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(blob) || blob.length % 4 !== 0) return BROKEN
  const key = new KeyReader(Uint8Array.from(atob(blob), (letter) => letter.charCodeAt(0)))
  try {
    if (key.field() !== type) return `The key is not of the type ${type}`
    return CHECKS[type](key) ?? (key.isAtEnd ? undefined : BROKEN)
  } catch (error) {
    if (error instanceof RangeError) return BROKEN
    throw error
  }
}
