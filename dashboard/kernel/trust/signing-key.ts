import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import {
  findCurrentKey,
  insertFirstKey,
  type KeyRow,
} from '#dashboard/kernel/trust/keys/queries.ts'
import { Secret } from '#shared/kernel/secret.ts'
import type { Sealer } from './seal.ts'

/** A key of this dashboard; `public_key` is its 32 bytes in base64url. */
export interface SigningKey {
  kid: string
  public_key: string
  private_key: KeyObject
}

export interface KeyDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  sealer: Sealer
}

export const KEY_PURPOSE = 'signing-key'

/** Returns the current key, created at the first start. Throws for another key file. */
export async function loadSigningKey(deps: KeyDeps): Promise<SigningKey> {
  const known = await findCurrentKey(deps.db)
  if (known) return openSigningKey(deps.sealer, known)
  const made = createSigningKey(deps)
  await insertFirstKey(deps.db, made)
  return openSigningKey(deps.sealer, (await findCurrentKey(deps.db)) ?? made)
}

export function createSigningKey({ clock, random, sealer }: Omit<KeyDeps, 'db'>): KeyRow {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const pem = new Secret(String(privateKey.export({ format: 'pem', type: 'pkcs8' })))
  return {
    kid: randomText(random, 9),
    public_key: publicTextOf(publicKey),
    private_key_sealed: sealer.seal(KEY_PURPOSE, pem),
    created_at: timestamp(clock),
    until: null,
  }
}

/**
 * Opens the key of a row. Its public half is that of the sealed one, and not the column: agents
 * trust what they receive, so whoever can write to the database must not choose it.
 */
export function openSigningKey(sealer: Sealer, row: KeyRow): SigningKey {
  const pem = sealer.open(KEY_PURPOSE, row.private_key_sealed)
  const private_key = createPrivateKey(pem.reveal())
  const public_key = publicTextOf(createPublicKey(private_key))
  return { kid: row.kid, public_key, private_key }
}

/** Returns the signing key of a row; undefined when the row is not a key of this dashboard. */
export function findSigningKey(sealer: Sealer, row: KeyRow): SigningKey | undefined {
  try {
    return openSigningKey(sealer, row)
  } catch {
    return undefined
  }
}

const publicTextOf = (key: KeyObject): string => String(key.export({ format: 'jwk' }).x)

/** Returns the form for `hosting-agent enrol` and `hosting-agent trust`. */
export function hubKeyOf({ kid, public_key }: Pick<SigningKey, 'kid' | 'public_key'>): string {
  return `ed25519:${kid}:${public_key}`
}
