import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Database } from '#dashboard/db/client.ts'
import { type Clock, timestamp } from '#dashboard/runtime/clock.ts'
import { type Random, randomText } from '#dashboard/runtime/random.ts'
import { findSigningKey, insertSigningKey } from './queries.ts'
import type { Sealer } from './seal.ts'

/** The key that speaks for this dashboard; `public_key` is its 32 bytes in base64url. */
export interface SigningKey {
  kid: string
  public_key: string
  private_key: KeyObject
}

interface Deps {
  db: Database
  clock: Clock
  random: Random
  sealer: Sealer
}

const PURPOSE = 'signing-key'

/** Made at the first start. Throws when the key file is not the one that the key was sealed with. */
export async function loadSigningKey(deps: Deps): Promise<SigningKey> {
  const known = await findSigningKey(deps.db)
  const row = known ?? (await createSigningKey(deps))
  const pem = deps.sealer.open(PURPOSE, row.private_key_sealed)
  return { kid: row.kid, public_key: row.public_key, private_key: createPrivateKey(pem) }
}

async function createSigningKey({ db, clock, random, sealer }: Deps) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const row = {
    kid: randomText(random, 9),
    public_key: String(publicKey.export({ format: 'jwk' }).x),
    private_key_sealed: sealer.seal(PURPOSE, pem),
    created_at: timestamp(clock),
  }
  await insertSigningKey(db, row)
  return (await findSigningKey(db)) ?? row
}
