import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { ignoreStorageFault } from '#dashboard/kernel/db/connect.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import type { UserRow } from '#dashboard/kernel/db/rows.ts'
import type { Admission } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import { isDue } from '#shared/kernel/age.ts'
import type { User } from '#shared/kernel/api/auth.ts'
import { unauthorized } from '#shared/kernel/errors.ts'
import { findGrants } from './grants.queries.ts'
import { type FoundSession, findSession, insertSession, updateSession } from './queries.ts'
import { SESSION_SECONDS, type Tokens } from './tokens.ts'

export interface SessionDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  tokens: Tokens
  marks: Marks
}

export const WRONG_LOGIN = 'Invalid email or password'

const SESSION_MS = SESSION_SECONDS * 1000

interface CheckedLogin {
  /** The row of the user when the login was checked. */
  checked?: UserRow
  /** What the activity says about the login. */
  detail?: string | null
}

/**
 * Opens a session with the activity of the login, and returns its token. Throws 401 if the password
 * or the second factor of the user was changed after it was checked.
 */
export async function openSession(
  deps: SessionDeps,
  user: User,
  { checked, detail = null }: CheckedLogin = {},
): Promise<string> {
  const { clock, random, tokens } = deps
  const jti = randomText(random, 16)
  const now = timestamp(clock)
  const expires_at = timestamp(clock, SESSION_MS)
  const times = { created_at: now, renewed_at: now, confirmed_at: now, expires_at }
  const session = { jti, user_id: user.id, ...times }
  const entry = entryOf(clock, { type: 'auth.login', user_id: user.id, detail })
  if (!(await insertSession(deps, { user: checked, session }, entry)))
    throw unauthorized(WRONG_LOGIN)
  return tokens.sign({ user_id: user.id, jti })
}

/** Returns the caller, and a new token after half of the time of the old one. */
export async function findCaller(
  deps: SessionDeps,
  token: string,
): Promise<(Admission & { renewed?: string }) | undefined> {
  const claims = await deps.tokens.verify(token)
  if (!claims) return undefined
  const { jti } = claims
  const session = await findSession(deps, jti)
  const now = timestamp(deps.clock)
  if (!session || session.expires_at <= now || String(session.user.id) !== claims.sub)
    return undefined
  const { user, confirmed_at } = session
  const grants = await findGrants(deps, user.id)
  const caller = { user, grants, jti, confirmed_at }
  const half = Date.parse(session.renewed_at) + SESSION_MS / 2
  const until = Math.min(half, claims.exp * 1000, Date.parse(session.expires_at))
  const admission = { caller, until }
  if (!isDue(session.renewed_at, SESSION_MS / 2, deps.clock.now())) return admission
  const renewed = await renew(deps, session).catch(ignoreStorageFault)
  return renewed === undefined ? admission : { ...admission, renewed }
}

async function renew(deps: SessionDeps, session: FoundSession) {
  const { clock, tokens } = deps
  const values = { renewed_at: timestamp(clock), expires_at: timestamp(clock, SESSION_MS) }
  if (!(await updateSession(deps, session, values))) return undefined
  return tokens.sign({ user_id: session.user_id, jti: session.jti })
}
