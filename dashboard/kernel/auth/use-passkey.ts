import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { UserRow } from '#dashboard/kernel/db/rows.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { PasskeyProof } from '#shared/kernel/api/passkeys.ts'
import type { ChallengePurpose, Challenges, ValidChallenge } from './challenges.ts'
import { loadWebauthn } from './load-webauthn.ts'
import { findPasskey, type PasskeyRow, storeUse } from './passkeys.queries.ts'
import { findUser, type MarkedRecords } from './queries.ts'
import { getRelyingParty, type RelyingParty } from './relying-party.ts'

export interface PasskeyDeps extends MarkedRecords, Pick<CommonDeps, 'clock' | 'random'> {
  challenges: Challenges
  public_url: string | undefined
}

export const WRONG_PASSKEY = 'The passkey was not accepted'
export const ASKS_PASSKEY = 'Use a passkey of your account'

const COPIED =
  'The counter of the passkey went back: it may have been copied. Remove it, and add a new one'
const TURNS = 5

interface Expected {
  purpose: ChallengePurpose
  /** What the challenge was issued to. */
  bound_to: string
  /** The account that must have the passkey; undefined: the one that the authenticator names. */
  user_id?: number
}

export interface UsedPasskey {
  /** The user as it was read before the use. */
  user: UserRow
  passkey: PasskeyRow
  /** Why it is refused, for people; undefined: it counts. */
  refusal: string | undefined
}

/**
 * Uses a passkey: its answer counts once, for the origin of PUBLIC_URL, after the authenticator has
 * verified its user. Returns undefined where no account has it. Throws 409 where passkeys are off.
 */
export async function usePasskey(
  deps: PasskeyDeps,
  proof: PasskeyProof,
  expected: Expected,
): Promise<UsedPasskey | undefined> {
  const party = getRelyingParty(deps)
  for (let turn = 0; turn < TURNS; turn++) {
    const passkey = await findPasskey(deps, proof.id)
    const user = passkey && (await findUser(deps, passkey.user_id))
    if (!user) return undefined
    const outcome = await tryOnce(deps, { proof, passkey, user, party, expected })
    if (outcome !== 'changed') return { user, passkey, refusal: outcome.refusal }
  }
  throw new Error('The passkey changes with each attempt to use it')
}

interface Attempt {
  proof: PasskeyProof
  passkey: PasskeyRow
  user: UserRow
  party: RelyingParty
  expected: Expected
}

/** Uses the passkey as it was read; `changed`: another request has used it meanwhile. */
async function tryOnce(
  deps: PasskeyDeps,
  attempt: Attempt,
): Promise<Pick<UsedPasskey, 'refusal'> | 'changed'> {
  const { passkey } = attempt
  const verified = isOwn(attempt) ? await verify(deps, attempt) : undefined
  if (!verified) return { refusal: WRONG_PASSKEY }
  const { challenge, ...values } = verified
  if (isCopied(passkey.counter, values.counter)) return { refusal: COPIED }
  const use = { ...values, last_used_at: timestamp(deps.clock) }
  const stored = await storeUse(deps, passkey, use, challenge)
  if (stored === 'changed') return stored
  return { refusal: stored === 'used' ? WRONG_PASSKEY : undefined }
}

/** Whether the passkey is of the expected account, and its authenticator knows it as that account. */
function isOwn({ proof: { response }, user, expected: { user_id } }: Attempt): boolean {
  if (user_id !== undefined && user.id !== user_id) return false
  const { userHandle = user_id === undefined ? '' : user.passkey_handle } = response
  return userHandle !== '' && userHandle === user.passkey_handle
}

/** Whether the counter of a passkey that counts has not gone up (WebAuthn Level 3, 6.1.1). */
const isCopied = (before: number, now: number) => (before > 0 || now > 0) && now <= before

interface VerifiedUse extends Pick<PasskeyRow, 'counter' | 'backed_up'> {
  challenge: ValidChallenge
}

/** Verifies everything but the counter. Returns undefined for an answer that is not valid. */
async function verify(
  { challenges }: PasskeyDeps,
  { proof, passkey, party, expected }: Attempt,
): Promise<VerifiedUse | undefined> {
  const { verifyAuthenticationResponse } = await loadWebauthn()
  let challenge: ValidChallenge | undefined
  const { id, rawId, type, response } = proof
  const given = { id, rawId, type, response, clientExtensionResults: {} }
  // It throws for each rule that the answer breaks.
  const result = await verifyAuthenticationResponse({
    response: given,
    expectedChallenge: (text) => {
      challenge = challenges.check(text, expected.purpose, expected.bound_to)
      return challenge !== undefined
    },
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
      // The signature first: only the owner of the key can report that it was copied.
      counter: 0,
    },
  }).catch(() => undefined)
  if (!result?.verified || !challenge) return undefined
  const { newCounter: counter, credentialBackedUp } = result.authenticationInfo
  return { counter, backed_up: credentialBackedUp ? 1 : 0, challenge }
}
