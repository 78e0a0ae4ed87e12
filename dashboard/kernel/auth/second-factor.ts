import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { UserRow } from '#dashboard/kernel/db/rows.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import { isDue } from '#shared/kernel/age.ts'
import type { TotpState } from '#shared/kernel/api/auth.ts'
import { conflict, invalid, unauthorized } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { confirmPassword } from './confirm-password.ts'
import { refuseLastFactor } from './factor-rule.ts'
import type { LoginDeps } from './login.ts'
import { findUser } from './queries.ts'
import { countCodes, hashesOf, makeRecoveryCodes } from './recovery-codes.ts'
import {
  changeFactor,
  type FactorRow,
  findFactor,
  findUnconfirmed,
  insertUnconfirmed,
  updateRecoveryCodes,
} from './second-factor.queries.ts'
import { otpauthUri, SECRET_BYTES, stepWith, toBase32 } from './totp.ts'
import { type FactorDeps, purposeOf, secretOf, WRONG_CODE } from './use-code.ts'

/** How long a new secret waits for its first code. */
const SETUP_MS = 60 * 60_000

/** The password in a call of a session, with a code where the account has a second factor. */
interface Confirmed {
  password: Secret
  code?: Secret
}

const proof = (given: Confirmed) =>
  ({ what: 'second factor', field: 'password', ...given }) as const

/** Describes the second factor of a user. */
export async function showTotp(deps: FactorDeps, user_id: number): Promise<TotpState> {
  const user = await getUser(deps, user_id)
  const factor = user.factor_id === '' ? undefined : await findFactor(deps, user)
  return {
    enabled: user.factor_id !== '',
    since: factor?.confirmed_at ?? null,
    recovery_codes_left: countCodes(factor?.recovery_codes ?? ''),
  }
}

/** Creates a secret, which has no effect until its first code is confirmed. Throws 409 if one has. */
export async function startTotp(
  deps: LoginDeps,
  caller: Caller,
  given: Confirmed,
): Promise<{ secret: string; uri: string }> {
  const { clock, random, sealer } = deps
  const user = await getUser(deps, caller.user.id)
  refuseSecond(user)
  await confirmPassword(deps, caller, proof(given))
  const id = randomText(random, 16)
  const secret = toBase32(random(SECRET_BYTES))
  await insertUnconfirmed(deps, {
    id,
    user_id: user.id,
    secret_sealed: sealer.seal(purposeOf(id), new Secret(secret)),
    created_at: timestamp(clock),
    confirmed_at: null,
    last_step: 0,
    recovery_codes: '',
    reset_at: null,
  })
  return { secret, uri: otpauthUri(secret, user.email) }
}

/**
 * Turns the second factor on with the first code of the app, and ends the other sessions of the
 * user. Returns the recovery codes. Throws 422 for a wrong code, and 429 after five of them.
 */
export async function confirmTotp(
  deps: LoginDeps,
  caller: Caller,
  code: Secret,
): Promise<string[]> {
  const { clock, throttle } = deps
  const user = await getUser(deps, caller.user.id)
  refuseSecond(user)
  const factor = await findUnconfirmed(deps, user.id)
  if (!factor || isDue(factor.created_at, SETUP_MS, clock.now()))
    throw conflict('Start the setup again: it was not completed within an hour')
  const attempt = throttle.confirm('first code', caller.jti)
  const secret = secretOf(deps, factor)
  const step = stepWith(code.reveal().replace(/\s/g, ''), {
    secret,
    last_step: factor.last_step,
    now: clock.now(),
  })
  if (step === undefined) throw invalid({ code: [WRONG_CODE] })
  attempt.succeed()
  const codes = makeRecoveryCodes(deps.random)
  const row = {
    ...factor,
    confirmed_at: timestamp(clock),
    last_step: step,
    recovery_codes: hashesOf(codes, secret),
  }
  const entry = entryOf(clock, { type: 'auth.factor_enable', user_id: user.id })
  const change = { user, factor_id: factor.id, row, keep: caller.jti }
  if (!(await changeFactor(deps, change, entry))) throw changedMeanwhile()
  return codes
}

/** Replaces the recovery codes. Throws 409 without a second factor. */
export async function replaceRecoveryCodes(
  deps: LoginDeps,
  caller: Caller,
  given: Required<Confirmed>,
): Promise<string[]> {
  const user = await getUser(deps, caller.user.id)
  requireFactor(user)
  await confirmPassword(deps, caller, proof(given))
  const factor = await findFactor(deps, user)
  if (!factor) throw changedMeanwhile()
  const codes = makeRecoveryCodes(deps.random)
  const recovery_codes = hashesOf(codes, secretOf(deps, factor))
  const entry = entryOf(deps.clock, { type: 'auth.recovery_codes', user_id: user.id })
  const change = { user, factor, recovery_codes }
  if (!(await updateRecoveryCodes(deps, change, entry))) throw changedMeanwhile()
  return codes
}

/**
 * Turns the second factor off, and ends the other sessions of the user. Throws 409 without one, and
 * for the only factor of an account that needs one.
 */
export async function stopTotp(
  deps: LoginDeps,
  caller: Caller,
  given: Required<Confirmed>,
): Promise<void> {
  const user = await getUser(deps, caller.user.id)
  requireFactor(user)
  await refuseLastFactor(deps, caller, { ...user, factor_id: '' })
  await confirmPassword(deps, caller, proof(given))
  const entry = entryOf(deps.clock, { type: 'auth.factor_disable', user_id: user.id })
  const change = { user, factor_id: '', keep: caller.jti }
  if (!(await changeFactor(deps, change, entry))) throw changedMeanwhile()
}

/**
 * Removes the second factors of a user who has lost them, by a command on the machine of the
 * dashboard, and ends all sessions of the user. The row that stays is an item of the overview.
 */
export async function resetFactor(
  deps: Pick<FactorDeps, 'db' | 'marks' | 'clock' | 'random'>,
  user: UserRow,
): Promise<boolean> {
  const { clock, random } = deps
  const now = timestamp(clock)
  const row: Omit<FactorRow, 'mark'> = {
    id: randomText(random, 16),
    user_id: user.id,
    secret_sealed: '',
    created_at: now,
    confirmed_at: null,
    last_step: 0,
    recovery_codes: '',
    reset_at: now,
  }
  const facts = { created_at: now, detail: user.email }
  const entry = entryOf(clock, { type: 'auth.factor_reset', ...facts })
  return changeFactor(deps, { user, factor_id: '', row, ends_passkeys: true }, entry)
}

async function getUser(deps: FactorDeps, id: number): Promise<UserRow> {
  const user = await findUser(deps, id)
  if (!user) throw unauthorized()
  return user
}

function refuseSecond({ factor_id }: UserRow): void {
  if (factor_id !== '') throw conflict('Two-factor authentication is on already')
}

function requireFactor({ factor_id }: UserRow): void {
  if (factor_id === '') throw conflict('Two-factor authentication is off')
}

const changedMeanwhile = () =>
  conflict('The account was changed meanwhile: try again', 'changed_meanwhile')
