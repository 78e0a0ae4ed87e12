import {
  createHash,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
  timingSafeEqual,
} from 'node:crypto'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { Random } from '#dashboard/kernel/runtime/random.ts'
import { fingerprintOf, OAEP } from '#dashboard/kernel/trust/recovery-key.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import type { BackupKits, BackupKitView } from '#shared/backups/api/backups.ts'
import { conflict, invalid, notFound } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { type KeyPair, MIN_KEY_BITS } from './key-pair.ts'
import { confirmKit, findKit, insertKit, type KitRow } from './kit.queries.ts'

export interface KitDeps {
  db: Database
  clock: Clock
  random: Random
  sealer: Sealer
  make_key_pair: () => Promise<KeyPair>
}

const CHALLENGE_BYTES = 32
const PURPOSE = 'backup kit'

/** Returns the kits. The kit in use stays in use until a newer one is confirmed. */
export async function showKits({ db }: Pick<KitDeps, 'db'>): Promise<BackupKits> {
  const last = await findKit(db)
  const in_use = await findKit(db, { confirmed: true })
  return {
    in_use: in_use ? viewOf(in_use) : null,
    pending: last && last.confirmed_at === null ? viewOf(last) : null,
  }
}

function viewOf({ recovery_key, created_at, confirmed_at }: KitRow): BackupKitView {
  return { fingerprint: fingerprintOf(recovery_key), created_at, confirmed_at }
}

/**
 * Records the public half of a kit, and a key of this dashboard for the same passwords. Returns a
 * challenge that only the private half opens. Throws 422 for anything but a strong RSA key.
 */
export async function createKit(
  { db, clock, random, sealer, make_key_pair }: KitDeps,
  recovery_key: string,
  user_id: number,
): Promise<{ kit: BackupKitView; challenge: string }> {
  refuseWeak('public_key', recovery_key)
  const answer = Buffer.from(random(CHALLENGE_BYTES))
  const own = await make_key_pair()
  const created_at = timestamp(clock)
  const values = {
    recovery_key,
    dashboard_key: own.publicKey,
    dashboard_key_sealed: sealer.seal(PURPOSE, new Secret(own.privateKey)),
    challenge_hash: sha256(answer),
    created_at,
  }
  await insertKit(db, values, entryOf(clock, { type: 'backup.kit_create', user_id, created_at }))
  const challenge = publicEncrypt({ key: recovery_key, ...OAEP }, answer).toString('base64')
  const kit = { fingerprint: fingerprintOf(recovery_key), created_at, confirmed_at: null }
  return { kit, challenge }
}

/** Confirms the last kit, which backups use from now on. Throws 422 for a wrong answer. */
export async function answerChallenge(
  { db, clock }: Pick<KitDeps, 'db' | 'clock'>,
  answer: string,
  user_id: number,
): Promise<BackupKitView> {
  const kit = await findKit(db)
  if (!kit) throw notFound('Recovery kit')
  const [given, expected] = [sha256(Buffer.from(answer, 'base64')), kit.challenge_hash]
  if (!timingSafeEqual(Buffer.from(given), Buffer.from(expected))) {
    throw invalid({ answer: ['Is not the decrypted challenge of the last kit'] })
  }
  const confirmed_at = kit.confirmed_at ?? timestamp(clock)
  if (kit.confirmed_at === null) {
    const entry = entryOf(clock, { type: 'backup.kit_confirm', user_id, created_at: confirmed_at })
    await confirmKit(db, kit.id, confirmed_at, entry)
  }
  return viewOf({ ...kit, confirmed_at })
}

/** Returns the kit that backups are created with. Throws 409 with the advice. */
export async function confirmedKit({ db }: Pick<KitDeps, 'db'>): Promise<KitRow> {
  const kit = await findKit(db, { confirmed: true })
  if (kit) return kit
  throw conflict(
    'No recovery kit is confirmed: create one on the page Backups, and store it safely',
  )
}

/** Opens what an agent encrypted to the key of this dashboard. */
export function openWith({ dashboard_key_sealed }: KitRow, sealer: Sealer, sealed: string): Secret {
  const key = sealer.open(PURPOSE, dashboard_key_sealed).reveal()
  const bytes = privateDecrypt({ key, ...OAEP }, Buffer.from(sealed, 'base64'))
  return new Secret(bytes.toString('utf8'))
}

/** Encrypts a secret to a key, in base64, as agents do it for `openWith`. */
export const sealTo = (key: string, secret: Secret): string =>
  publicEncrypt({ key, ...OAEP }, Buffer.from(secret.reveal())).toString('base64')

/** Throws 422 on `field` for anything but a strong RSA key. */
export function refuseWeak(field: string, key: string | null | undefined): void {
  if (key === null || key === undefined || bitsOf(key) >= MIN_KEY_BITS) return
  throw invalid({ [field]: [`Must be a public RSA key of at least ${MIN_KEY_BITS} bits`] })
}

function bitsOf(key: string): number {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey(key)
    return asymmetricKeyType === 'rsa' ? (asymmetricKeyDetails?.modulusLength ?? 0) : 0
  } catch {
    return 0
  }
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
