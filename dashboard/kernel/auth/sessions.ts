import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { ignoreStorageFault } from '#dashboard/kernel/db/connect.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import type { UserRow } from '#dashboard/kernel/db/rows.ts'
import type { Admission, Caller } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import { isDue } from '#shared/kernel/age.ts'
import type { Session, User } from '#shared/kernel/api/auth.ts'
import { notFound, unauthorized } from '#shared/kernel/errors.ts'
import { deviceNameOf } from './device-name.ts'
import { findGrants } from './grants.queries.ts'
import {
  deleteSession,
  type FoundSession,
  findSession,
  findSessionsOf,
  findUser,
  insertSession,
  touchSession,
  updateSession,
  type WriteCondition,
} from './queries.ts'
import { SESSION_SECONDS, type Tokens } from './tokens.ts'

export interface SessionDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  tokens: Tokens
  marks: Marks
}

export const WRONG_LOGIN = 'Invalid email or password'

const SESSION_MS = SESSION_SECONDS * 1000
/** The precision of `last_used_at`, as that of an API token. */
const TOUCH_MS = 60_000
const MAX_USER_AGENT = 256
const ID_LENGTH = 22

type Records = Pick<SessionDeps, 'db' | 'marks' | 'clock'>

/** Where a session is opened: the address of the client, and what its browser calls itself. */
export interface SessionOrigin {
  address: string
  user_agent?: string | null
}

interface CheckedLogin {
  /** The row of the user when the login was checked. */
  checked?: UserRow
  /** What must still hold when the session is opened, beside an unchanged user. */
  holds?: WriteCondition
  /** What the activity says about the login. */
  detail?: string | null
}

/**
 * Opens a session with the activity of the login, and returns its token. Throws 401 if the password
 * or the second factor of the user was changed after it was checked or `holds` is false, and for an
 * account that admits nobody, such as a service account: every way to log in ends here.
 */
export async function openSession(
  deps: SessionDeps,
  user: User,
  from: SessionOrigin = { address: '' },
  { checked, holds, detail = null }: CheckedLogin = {},
): Promise<string> {
  const { clock, random, tokens } = deps
  if (!(await findUser(deps, user.id))) throw unauthorized(WRONG_LOGIN)
  const jti = randomText(random, 16)
  const now = timestamp(clock)
  const expires_at = timestamp(clock, SESSION_MS)
  const times = { created_at: now, renewed_at: now, confirmed_at: now, expires_at }
  const user_agent = (from.user_agent ?? '').slice(0, MAX_USER_AGENT)
  const session = { jti, user_id: user.id, ...times, address: from.address, user_agent }
  const entry = entryOf(clock, { type: 'auth.login', user_id: user.id, detail })
  if (!(await insertSession(deps, { user: checked, holds, session }, entry)))
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
  const held = await findGrants(deps, user.id)
  const caller = { user, ...held, jti, confirmed_at }
  if (isDue(session.last_used_at, TOUCH_MS, deps.clock.now()))
    await touchSession(deps.db, jti, now).catch(ignoreStorageFault)
  const touched = session.last_used_at === null ? 0 : Date.parse(session.last_used_at) + TOUCH_MS
  const half = Date.parse(session.renewed_at) + SESSION_MS / 2
  const until = Math.min(touched, half, claims.exp * 1000, Date.parse(session.expires_at))
  const admission = { caller, until }
  if (!isDue(session.renewed_at, SESSION_MS / 2, deps.clock.now())) return admission
  const renewed = await renew(deps, session).catch(ignoreStorageFault)
  return renewed === undefined ? admission : { ...admission, renewed }
}

/** Lists the sessions of the caller, the one that was used last first. */
export async function listSessions(deps: Records, { user, jti }: Caller): Promise<Session[]> {
  const rows = await findSessionsOf(deps, user.id, timestamp(deps.clock))
  return rows.map((row) => ({
    id: idOf(row.jti),
    device: deviceNameOf(row.user_agent),
    address: row.address,
    created_at: row.created_at,
    last_used_at: row.last_used_at ?? row.renewed_at,
    is_current: row.jti === jti,
  }))
}

/** Ends a session of the caller. Throws 404 for that of somebody else. */
export async function endSession(deps: Records, { user }: Caller, id: string): Promise<void> {
  const rows = await findSessionsOf(deps, user.id, timestamp(deps.clock))
  const session = rows.find(({ jti }) => idOf(jti) === id)
  if (!session) throw notFound('Session')
  const detail = deviceNameOf(session.user_agent)
  const entry = entryOf(deps.clock, { type: 'auth.session_end', user_id: user.id, detail })
  await deleteSession(deps.db, session.jti, entry)
}

/** Returns the public id of a session, from which nobody finds the `jti` of its token. */
const idOf = (jti: string) =>
  new Bun.CryptoHasher('sha256').update(jti).digest('base64url').slice(0, ID_LENGTH)

async function renew(deps: SessionDeps, session: FoundSession) {
  const { clock, tokens } = deps
  const values = { renewed_at: timestamp(clock), expires_at: timestamp(clock, SESSION_MS) }
  if (!(await updateSession(deps, session, values))) return undefined
  return tokens.sign({ user_id: session.user_id, jti: session.jti })
}
