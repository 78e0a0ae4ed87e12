import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { CODE_PURPOSE } from '#dashboard/kernel/trust/open-enrolment.ts'
import { makeSealer } from '#dashboard/kernel/trust/seal.ts'
import { KEY_PURPOSE } from '#dashboard/kernel/trust/signing-key.ts'
import { Secret } from '#shared/kernel/secret.ts'

/** Returns the secret in DATA_DIR that decrypts the sealed keys of the database. */
export async function findSealSecret(data_dir: string): Promise<Secret | undefined> {
  const text = await readFile(`${data_dir}/seal-secret`, 'utf8').catch(() => '')
  return text.trim() === '' ? undefined : new Secret(text.trim())
}

/** Identifies a secret without revealing it: secrets are random with 384 bits. */
export function fingerprintOf(secret: Secret): string {
  const text = `hosting-seal-fingerprint/1\n${secret.reveal()}`
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** A sealed value of the database, and its name. */
export interface Sealed {
  what: string
  kind: 'key' | 'code'
  sealed: string
}

/** Lists the names of values that this secret cannot decrypt. */
export function unopened(secret: Secret, values: readonly Sealed[]): string[] {
  const sealer = makeSealer(secret.reveal(), secureRandom)
  const opens = ({ kind, sealed }: Sealed) => {
    try {
      sealer.open(kind === 'key' ? KEY_PURPOSE : CODE_PURPOSE, sealed)
      return true
    } catch {
      return false
    }
  }
  return values.filter((value) => !opens(value)).map(({ what }) => what)
}
