import { randomBytes } from 'node:crypto'
import { type CipherKeys, sealed } from '#agent/os/restic/cipher.ts'
import { keysOf } from '#agent/os/restic/key-file.ts'

/** restic makes N so large that opening a repository takes half a second. */
export const QUICK = { N: 16, r: 8, p: 1 }

/** The keys of all data of a repository. */
export const randomKeys = (): CipherKeys => ({
  cipher: randomBytes(32),
  tag: { k: randomBytes(16), r: randomBytes(16) },
})

/** A key file as `restic init` stores it, but one that opens at once. */
export async function keyFileOf(master: CipherKeys, password: string): Promise<string> {
  const salt = randomBytes(64).toString('base64')
  const base64 = (bytes: Buffer) => bytes.toString('base64')
  const { cipher, tag } = master
  const mac = { k: base64(tag.k), r: base64(tag.r) }
  const text = Buffer.from(JSON.stringify({ mac, encrypt: base64(cipher) }))
  const data = base64(sealed(await keysOf(password, salt, QUICK), randomBytes(16), text))
  const created = { created: '2026-01-01T00:00:00Z', username: 'root', hostname: 'server' }
  return JSON.stringify({ ...created, kdf: 'scrypt', ...QUICK, salt, data })
}
