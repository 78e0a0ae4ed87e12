import { findInvitation } from '#dashboard/features/access/accounts/invitations.queries.ts'
import { makeInvited } from '#dashboard/features/access/accounts/invitations.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { recordActivity } from '#dashboard/kernel/activity/queries.ts'
import { prefixOf, useLoginCode } from '#dashboard/kernel/auth/login.ts'
import { findUser, publicUser } from '#dashboard/kernel/auth/queries.ts'
import { findCaller, openSession, type SessionOrigin } from '#dashboard/kernel/auth/sessions.ts'
import { ASKS_CODE, WRONG_CODE } from '#dashboard/kernel/auth/use-code.ts'
import type { UserRow } from '#dashboard/kernel/db/rows.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { FinishedSso } from '#shared/access/api/single-sign-on.ts'
import { ServiceError, unauthorized } from '#shared/kernel/errors.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { FLOW_SECONDS, type SsoDeps, sha256 } from './begin.ts'
import { followClaim, makeClaimed } from './claimed.ts'
import { exchangeCode, SsoRefusal, type VerifiedLogin } from './exchange.ts'
import { type FlowRow, findFlow, insertFlow, takeFlow } from './flows.queries.ts'
import { findIdentity, identityStatement, insertIdentity } from './identities.queries.ts'
import { findProvider, isUnchanged, type ProviderRow } from './providers.queries.ts'

/** The browser that comes back from a provider, with the values of its cookies. */
export interface SsoOrigin extends SessionOrigin {
  device: string | undefined
  /** The cookie of the browser that has begun the login. */
  browser: string | undefined
  session: string | undefined
}

/** A login that has succeeded; `opened` are the cookies of its new session. */
export interface SsoResult {
  answer: FinishedSso
  opened: { token: string; device: string } | undefined
}

const NOT_BEGUN = new SsoRefusal(
  'it was not begun in this browser, was used before or has expired',
  'This login was not begun in this browser, was used before or has expired: begin it again',
)
const NO_ACCOUNT = new SsoRefusal(
  'no account in use has the identity',
  'No account of this dashboard is linked with this login: ask an owner for an invitation, or log in with your password and link it on the page Account',
)

const NEEDS_PASSKEY = new SsoRefusal(
  'the account needs its passkey',
  'This account needs its passkey: sign in with that, which is all that it takes',
)

/**
 * Ends a login at a provider: it opens a session, accepts an invitation or links an identity. Each
 * state is used once, in the browser that has begun it, and at its own provider. Throws 401, which is
 * recorded, and with `second_factor_needed` for an account that also needs a code.
 */
export async function finishSso(
  deps: SsoDeps,
  given: { provider: string; query: string },
  from: SsoOrigin,
): Promise<SsoResult> {
  const attempt = deps.throttle.sso(prefixOf(from.address))
  const params = new URLSearchParams(given.query)
  const about: RefusedLogin = { type: 'auth.login', provider: given.provider, user_id: null }
  try {
    const { flow, provider } = await takeBegun(deps, given.provider, params, from)
    about.provider = provider.name
    if (flow.purpose === 'link')
      Object.assign(about, { type: 'auth.identity_link', user_id: flow.user_id })
    const login = await exchangeCode(deps, provider, flow, params)
    const result = await ENDS[flow.purpose]({ deps, flow, provider, login, from, about })
    attempt.withdraw()
    return result
  } catch (error) {
    if (error instanceof ServiceError) attempt.withdraw()
    throw await refused(deps, about, error)
  }
}

interface RefusedLogin {
  type: 'auth.login' | 'auth.identity_link'
  provider: string
  user_id: number | null
}

/** Records a refusal, and returns what is answered. */
async function refused({ db, clock }: SsoDeps, about: RefusedLogin, error: unknown) {
  if (!(error instanceof SsoRefusal)) return error
  const detail = `with ${about.provider}: ${error.message}`
  const failure = { type: about.type, status: 'failed', user_id: about.user_id, detail } as const
  await recordActivity(db, entryOf(clock, failure))
  return unauthorized(error.advice)
}

/** Takes a login out of the records, with its provider. Throws SsoRefusal for any other state. */
async function takeBegun(
  deps: SsoDeps,
  key: string,
  params: URLSearchParams,
  from: SsoOrigin,
): Promise<{ flow: FlowRow; provider: ProviderRow }> {
  const flow = await findOwnFlow(deps, params.get('state') ?? '', from)
  if (!flow || flow.purpose === 'code' || flow.provider !== key) throw NOT_BEGUN
  const provider = await findProvider(deps, key)
  if (provider?.is_enabled !== 1) throw NOT_BEGUN
  if (!(await takeFlow(deps, flow))) throw NOT_BEGUN
  return { flow, provider }
}

/** Returns the login with this state, if this browser has begun it and it has not expired. */
async function findOwnFlow(
  deps: SsoDeps,
  state: string,
  { browser }: SsoOrigin,
): Promise<FlowRow | undefined> {
  const flow = await findFlow(deps, sha256(state))
  if (!flow || browser === undefined || flow.browser_hash !== sha256(browser)) return undefined
  return flow.expires_at > timestamp(deps.clock) ? flow : undefined
}

interface VerifiedCall {
  deps: SsoDeps
  flow: FlowRow
  provider: ProviderRow
  login: VerifiedLogin
  from: SsoOrigin
  about: RefusedLogin
}

const ENDS: Record<FlowRow['purpose'], (call: VerifiedCall) => Promise<SsoResult>> = {
  login: logIn,
  link,
  invitation: accept,
  // takeBegun refuses it: its code is entered with finishSsoCode.
  code: () => Promise.reject(NOT_BEGUN),
}

async function logIn({ deps, flow, provider, login, from, about }: VerifiedCall) {
  const identity = await findIdentity(deps, login)
  if (identity === null || (!identity && provider.claim === '')) throw NO_ACCOUNT
  if (!identity) {
    const made = await makeClaimed(deps, provider, login)
    return open(deps, { user: made, provider, to: flow.return_to }, from)
  }
  about.user_id = identity.user_id
  const user = await findUser(deps, identity.user_id)
  if (!user) throw NO_ACCOUNT
  if (user.managed_by !== '') await followClaim(deps, provider, user, login)
  if (user.factor_id !== '' && provider.own_factor !== 1) {
    await awaitCode(deps, flow, user)
    throw unauthorized(ASKS_CODE, 'second_factor_needed')
  }
  if (user.factor_id === '' && user.passkeys > 0 && provider.own_factor !== 1) throw NEEDS_PASSKEY
  return open(deps, { user, provider, to: flow.return_to }, from)
}

/** Keeps a login whose account needs a code, under the same state and for the same browser. */
function awaitCode(deps: SsoDeps, { mark: _, ...flow }: FlowRow, user: UserRow): Promise<void> {
  const expires_at = timestamp(deps.clock, FLOW_SECONDS * 1000)
  const waiting = { ...flow, purpose: 'code' as const, user_id: user.id, checks_sealed: '' }
  return insertFlow(deps, { ...waiting, expires_at }, timestamp(deps.clock))
}

interface OpenedLogin {
  user: UserRow
  provider: ProviderRow
  to: string
  /** What the activity says of a code. */
  detail?: string | null
}

/** Opens a session, as a login with a password does, while the provider is as it was read. */
async function open(
  deps: SsoDeps,
  { user, provider, to, detail = null }: OpenedLogin,
  from: SsoOrigin,
): Promise<SsoResult> {
  const own = publicUser(user)
  const words = [`with ${provider.name}`, detail].filter((text) => text !== null).join(', ')
  const login = { checked: user, holds: isUnchanged(provider), detail: words }
  const token = await openSession(deps, own, from, login)
  const known = deps.devices.idOf(from.device, user.email)
  return {
    answer: { user: own, purpose: 'login', to },
    opened: { token, device: deps.devices.issue(user.email, known) },
  }
}

const LINKED = new SsoRefusal(
  'the identity belongs to an account already',
  'This login is linked with an account already',
)

async function accept({ deps, flow, provider, login, from }: VerifiedCall): Promise<SsoResult> {
  const now = timestamp(deps.clock)
  const invited = await findInvitation(deps, flow.invitation_hash, now)
  if (!invited)
    throw new SsoRefusal(
      'the invitation is not valid any more',
      'The invitation is not valid any more: ask whoever has invited you for a new one',
    )
  if ((await findIdentity(deps, login)) !== undefined) throw LINKED
  const linked = await identityOf(login, now)
  const id = await makeInvited(deps, invited, {
    name: invited.name,
    password_hash: '',
    also: (user_id) => ({
      holds: isUnchanged(provider),
      statements: (queries) => [identityStatement(queries, deps.marks, { ...linked, user_id })],
    }),
  }).catch(linkedError)
  const user = await findUser(deps, id)
  if (!user) throw NO_ACCOUNT
  return open(deps, { user, provider, to: '/' }, from)
}

function linkedError(error: unknown): never {
  throw violatesUnique(error, 'identities.issuer') ? LINKED : error
}

async function link({ deps, flow, provider, login, from }: VerifiedCall): Promise<SsoResult> {
  const { caller } = (from.session && (await findCaller(deps, from.session))) || {}
  const user = await findUser(deps, flow.user_id)
  // The same session as at the begin: another account may be logged in by now.
  if (!user || caller?.jti !== flow.jti || caller.user.id !== user.id || user.managed_by !== '')
    throw NOT_BEGUN
  if ((await findIdentity(deps, login)) !== undefined) throw LINKED
  const row = { ...(await identityOf(login, timestamp(deps.clock))), user_id: user.id }
  const detail = `${provider.name}, ${row.label}`
  const entry = entryOf(deps.clock, { type: 'auth.identity_link', user_id: user.id, detail })
  const added = { user, session: flow.jti, provider, row }
  if (!(await insertIdentity(deps, added, entry).catch(linkedError))) throw NOT_BEGUN
  return {
    answer: { user: publicUser(user), purpose: 'link', to: flow.return_to },
    opened: undefined,
  }
}

const MAX_LABEL = 254

/** Makes the row of an identity; its label is shown only, and decides nothing. */
async function identityOf({ issuer, subject, details }: VerifiedLogin, linked_at: string) {
  const claims = await details(['email'])
  const named = [claims.email, claims.preferred_username, claims.name, subject]
  const label = named.find((text) => typeof text === 'string' && text !== '')
  const printed = String(label).replace(/\p{C}/gu, '?').slice(0, MAX_LABEL)
  return { issuer, subject, label: printed, linked_at }
}

/**
 * Ends a login that needs a code. A wrong one counts like a wrong password, and leaves the login open.
 * Throws 401, and 429 after too many.
 */
export async function finishSsoCode(
  deps: SsoDeps,
  { state, code }: { state: string; code: Secret },
  from: SsoOrigin,
): Promise<SsoResult> {
  const flow = await findOwnFlow(deps, state, from)
  const user = flow?.purpose === 'code' ? await findUser(deps, flow.user_id) : undefined
  const provider = flow && (await findProvider(deps, flow.provider))
  if (!flow || !user || provider?.is_enabled !== 1) throw unauthorized(NOT_BEGUN.advice)
  const device = deps.devices.idOf(from.device, user.email)
  const attempt = deps.throttle.login(user.email, { address: prefixOf(from.address), device })
  const used = await useLoginCode(deps, user, code, device).catch((error: unknown) => {
    attempt.withdraw()
    throw error
  })
  if (!used) {
    const detail = `with ${provider.name}: the code was wrong`
    const failure = { type: 'auth.login', status: 'failed', user_id: user.id, detail } as const
    await recordActivity(deps.db, entryOf(deps.clock, failure))
    throw unauthorized(WRONG_CODE, 'second_factor_wrong')
  }
  attempt.succeed()
  if (!(await takeFlow(deps, flow))) throw unauthorized(NOT_BEGUN.advice)
  return open(deps, { user, provider, to: flow.return_to, detail: used.detail }, from)
}
