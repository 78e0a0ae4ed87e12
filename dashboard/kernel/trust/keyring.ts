import { findKey } from '#dashboard/kernel/trust/keys/queries.ts'
import { type KeyDeps, loadSigningKey, openSigningKey, type SigningKey } from './signing-key.ts'

export class Keyring {
  readonly #deps: KeyDeps
  readonly #opened = new Map<string, SigningKey>()

  constructor(deps: KeyDeps) {
    this.#deps = deps
  }

  /** Returns the current key of the records, which another dashboard may have rotated. */
  current(): Promise<SigningKey> {
    return loadSigningKey(this.#deps)
  }

  /** Returns a key, which is decrypted once. Throws when it is missing. */
  async get(kid: string): Promise<SigningKey> {
    const known = this.#opened.get(kid)
    if (known) return known
    const row = await findKey(this.#deps.db, kid)
    if (!row) throw new Error(`The signing key ${kid} is gone`)
    const key = openSigningKey(this.#deps.sealer, row)
    this.#opened.set(kid, key)
    return key
  }
}
