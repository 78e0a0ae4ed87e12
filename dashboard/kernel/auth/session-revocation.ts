import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { sleepOrWake, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { hasApiToken } from './api-tokens.queries.ts'
import { lacksFactor } from './factor-rule.ts'
import { hasSession, type MarkedRecords } from './queries.ts'
import { findGrantsWithin } from './token-limits.queries.ts'

type Deps = Pick<CommonDeps, 'bus' | 'clock'> & MarkedRecords

/** The bus topic for ended sessions or tokens, and for changed grants and rules. */
export const SESSIONS_NEWS = 'sessions'

/** The interval of the check: the user may sign out at another dashboard on the same database. */
const POLL_MS = 60_000

/** A caller, and the check of the right of the call, which throws 403. */
interface Authorised {
  caller: Caller
  requireRight(): Promise<void>
}

/** Aborts the work of a session or token as soon as that has ended, or may do something else. */
export async function endWithSession(
  { db, marks, bus, clock }: Deps,
  call: Authorised,
  gone: AbortController,
): Promise<void> {
  while (!gone.signal.aborted) {
    using news = bus.next(SESSIONS_NEWS)
    const valid = await isValid({ db, marks, clock }, call).catch(() => true)
    if (!valid) gone.abort()
    else await sleepOrWake(clock, POLL_MS, news.promise, gone.signal)
  }
}

async function isValid(
  { db, marks, clock }: Omit<Deps, 'bus'>,
  { caller, requireRight }: Authorised,
): Promise<boolean> {
  const { user, grants, parts, jti, token_id, only_for } = caller
  const current = await findGrantsWithin({ db, marks }, user.id, only_for)
  if (JSON.stringify(current) !== JSON.stringify({ grants, parts })) return false
  if (await lacksFactor({ db, marks }, caller)) return false
  if (!(await isStillAllowed(requireRight))) return false
  if (token_id !== undefined) return hasApiToken(db, token_id, timestamp(clock))
  return hasSession(db, jti, timestamp(clock))
}

async function isStillAllowed(requireRight: () => Promise<void>): Promise<boolean> {
  try {
    await requireRight()
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'forbidden') return false
    throw error
  }
}
