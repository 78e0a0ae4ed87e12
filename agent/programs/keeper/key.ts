import { constants, createPublicKey, generateKeyPairSync, privateDecrypt } from 'node:crypto'
import { ConfigError } from '#agent/kernel/host/errors.ts'
import type { Files } from '#agent/kernel/host/ports.ts'
import { Secret } from '#shared/kernel/secret.ts'

const BITS = 3072
const KEY_PATH = '/etc/hosting-keeper/key.pem'

/** The private key of the keeper, which never leaves this machine. */
export async function readKey(files: Files): Promise<Secret> {
  const text = await files.read(KEY_PATH)
  if (text === undefined) throw new ConfigError(`${KEY_PATH} is missing: run "keeper init" first`)
  return new Secret(text)
}

/** Returns the public half of the key of this keeper; creates the key if there is none. */
export async function ensureKey(files: Files): Promise<string> {
  const known = await files.read(KEY_PATH)
  if (known !== undefined) return publicOf(known)
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  await files.write(KEY_PATH, privateKey, { mode: 0o600 })
  return publicKey
}

export const publicOf = (key: string): string =>
  createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()

/** Decrypts a text that was encrypted to the public half; undefined for anything else. */
export function opened(key: Secret, sealed: string): Secret | undefined {
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  try {
    const bytes = privateDecrypt({ key: key.reveal(), ...padding }, Buffer.from(sealed, 'base64'))
    return new Secret(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
