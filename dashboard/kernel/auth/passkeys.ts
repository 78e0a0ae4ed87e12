import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { UserRow } from '#dashboard/kernel/db/rows.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import type {
  AddPasskey,
  NewPasskeyOptions,
  OwnPasskeys,
  Passkey,
  PasskeyOptions,
} from '#shared/kernel/api/passkeys.ts'
import { conflict, invalid, notFound, unauthorized } from '#shared/kernel/errors.ts'
import { CHALLENGE_SECONDS, type ValidChallenge } from './challenges.ts'
import { refuseLastFactor } from './factor-rule.ts'
import { loadWebauthn } from './load-webauthn.ts'
import {
  deletePasskey,
  insertPasskey,
  listPasskeys,
  type PasskeyRow,
  storeHandle,
  updateName,
} from './passkeys.queries.ts'
import { findUser, hasFactor } from './queries.ts'
import { getRelyingParty, relyingPartyOf } from './relying-party.ts'
import { type PasskeyDeps, WRONG_PASSKEY } from './use-passkey.ts'

const MAX_PASSKEYS = 20
const HANDLE_BYTES = 32
const TIMEOUT_MS = CHALLENGE_SECONDS * 1000
/** The COSE algorithms EdDSA, ES256 and RS256 (RFC 9053, RFC 8812): every authenticator has one. */
const ALGORITHMS = [-8, -7, -257]

const shown = ({ id, name, created_at, last_used_at, backed_up }: PasskeyRow): Passkey => ({
  id,
  name,
  created_at,
  last_used_at,
  backed_up: backed_up === 1,
})

export async function showPasskeys(deps: PasskeyDeps, { user }: Caller): Promise<OwnPasskeys> {
  const { party, problem } = relyingPartyOf(deps.public_url)
  const passkeys = (await listPasskeys(deps, user.id)).map(shown)
  return { passkeys, origin: party?.origin ?? null, problem }
}

/** Returns the options for any passkey of this dashboard. They reveal no account. */
export function loginOptions(deps: PasskeyDeps, attempt: string): PasskeyOptions {
  return optionsOf(deps, deps.challenges.issue('login', attempt), [])
}

/** Returns the options for a passkey of the caller. */
export async function confirmOptions(
  deps: PasskeyDeps,
  { user, jti }: Caller,
): Promise<PasskeyOptions> {
  const own = await listPasskeys(deps, user.id)
  return optionsOf(deps, deps.challenges.issue('confirm', jti), own)
}

const optionsOf = (
  deps: PasskeyDeps,
  challenge: string,
  allowed: readonly PasskeyRow[],
): PasskeyOptions => ({
  rpId: getRelyingParty(deps).id,
  challenge,
  timeout: TIMEOUT_MS,
  userVerification: 'required',
  allowCredentials: allowed.map(descriptorOf),
})

const descriptorOf = ({ credential_id, transports }: PasskeyRow) => ({
  id: credential_id,
  type: 'public-key' as const,
  transports: transports.split(' ').filter((each) => each !== ''),
})

/** Returns the options for a new passkey of the caller. */
export async function addOptions(
  deps: PasskeyDeps,
  { user: { id }, jti }: Caller,
): Promise<NewPasskeyOptions> {
  const { id: rp_id } = getRelyingParty(deps)
  const user = await getUser(deps, id)
  refuseMore(user)
  const handle = await handleOf(deps, user)
  return {
    rp: { id: rp_id, name: 'Hosting Control' },
    user: { id: handle, name: user.email, displayName: user.name },
    challenge: deps.challenges.issue('add', jti),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: TIMEOUT_MS,
    attestation: 'none',
    excludeCredentials: (await listPasskeys(deps, id)).map(descriptorOf),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
  }
}

/** Returns the name of the account at its authenticators: random, since they show it to anybody. */
async function handleOf(deps: PasskeyDeps, user: UserRow): Promise<string> {
  if (user.passkey_handle !== '') return user.passkey_handle
  const handle = randomText(deps.random, HANDLE_BYTES)
  if (!(await storeHandle(deps, user, handle))) throw changedMeanwhile()
  return handle
}

/**
 * Adds a passkey to the account of the caller. The first factor of an account ends its other
 * sessions. Throws 422 for an answer to anything but the options that the session was given.
 */
export async function addPasskey(
  deps: PasskeyDeps,
  { user: { id }, jti }: Caller,
  { name, credential }: AddPasskey,
): Promise<Passkey> {
  const user = await getUser(deps, id)
  refuseMore(user)
  const { challenge, ...made } = await verify(deps, jti, credential)
  const passkey = {
    id: randomText(deps.random, 16),
    user_id: id,
    name,
    ...made,
    created_at: timestamp(deps.clock),
  }
  const entry = entryOf(deps.clock, { type: 'auth.passkey_add', user_id: id, detail: name })
  const added = { user, passkey, challenge, session: jti, ends_others: !hasFactor(user) }
  const outcome = await insertPasskey(deps, added, entry)
  if (outcome === 'changed') throw changedMeanwhile()
  if (outcome === 'used') throw invalid({ credential: [WRONG_PASSKEY] })
  if (outcome === 'known') throw conflict('This passkey was added before')
  return shown({ ...passkey, last_used_at: null, mark: '' })
}

type Verified = Pick<
  PasskeyRow,
  'credential_id' | 'public_key' | 'counter' | 'transports' | 'backed_up'
> & { challenge: ValidChallenge }

async function verify(
  deps: PasskeyDeps,
  jti: string,
  { id, rawId, type, response }: AddPasskey['credential'],
): Promise<Verified> {
  const party = getRelyingParty(deps)
  const { verifyRegistrationResponse } = await loadWebauthn()
  let challenge: ValidChallenge | undefined
  // It throws for each rule that the answer breaks.
  const result = await verifyRegistrationResponse({
    response: { id, rawId, type, response, clientExtensionResults: {} },
    expectedChallenge: (text) => {
      challenge = deps.challenges.check(text, 'add', jti)
      return challenge !== undefined
    },
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined)
  if (!result?.verified || !challenge) throw invalid({ credential: [WRONG_PASSKEY] })
  const { credential, credentialBackedUp: backed_up } = result.registrationInfo
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: (response.transports ?? []).join(' '),
    backed_up: backed_up ? 1 : 0,
    challenge,
  }
}

/** Renames a passkey of the caller. Throws 404 for one of another account. */
export async function renamePasskey(
  deps: PasskeyDeps,
  { user }: Caller,
  id: string,
  name: string,
): Promise<Passkey> {
  const passkey = await getPasskey(deps, user.id, id)
  const detail = `${passkey.name} to ${name}`
  const entry = entryOf(deps.clock, { type: 'auth.passkey_rename', user_id: user.id, detail })
  if (!(await updateName(deps, passkey, name, entry))) throw changedMeanwhile()
  return shown({ ...passkey, name })
}

/**
 * Removes a passkey of the caller, and ends the other sessions. Throws 404 for one of another
 * account, and 409 for the last factor of an account that needs one.
 */
export async function removePasskey(deps: PasskeyDeps, caller: Caller, id: string): Promise<void> {
  const user = await getUser(deps, caller.user.id)
  const { name } = await getPasskey(deps, user.id, id)
  await refuseLastFactor(deps, caller, { ...user, passkeys: user.passkeys - 1 })
  const entry = entryOf(deps.clock, { type: 'auth.passkey_remove', user_id: user.id, detail: name })
  if (!(await deletePasskey(deps, { user, id, keep: caller.jti }, entry))) throw changedMeanwhile()
}

async function getPasskey(deps: PasskeyDeps, user_id: number, id: string): Promise<PasskeyRow> {
  const found = (await listPasskeys(deps, user_id)).find((passkey) => passkey.id === id)
  if (!found) throw notFound('Passkey')
  return found
}

async function getUser(deps: PasskeyDeps, id: number): Promise<UserRow> {
  const user = await findUser(deps, id)
  if (!user) throw unauthorized()
  return user
}

function refuseMore({ passkeys, managed_by }: UserRow): void {
  if (managed_by !== '')
    throw conflict('This account logs in at its provider alone: a passkey would go round that')
  if (passkeys >= MAX_PASSKEYS) throw conflict(`An account has at most ${MAX_PASSKEYS} passkeys`)
}

const changedMeanwhile = () =>
  conflict('The account was changed meanwhile: try again', 'changed_meanwhile')
