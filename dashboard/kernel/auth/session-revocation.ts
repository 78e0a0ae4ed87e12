import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { sleepOrWake, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { hasApiToken } from './api-tokens.queries.ts'
import { findGrants } from './grants.queries.ts'
import { hasSession, type MarkedRecords } from './queries.ts'

type Deps = Pick<CommonDeps, 'bus' | 'clock'> & MarkedRecords

/** The bus topic for ended sessions or tokens, and for changed grants. */
export const SESSIONS_NEWS = 'sessions'

/** The interval of the check: the user may sign out at another dashboard on the same database. */
const POLL_MS = 60_000

/** Aborts the work of a session or token as soon as that has ended, or may do something else. */
export async function endWithSession(
  { db, marks, bus, clock }: Deps,
  caller: Caller,
  gone: AbortController,
): Promise<void> {
  while (!gone.signal.aborted) {
    using news = bus.next(SESSIONS_NEWS)
    const valid = await isValid({ db, marks, clock }, caller).catch(() => true)
    if (!valid) gone.abort()
    else await sleepOrWake(clock, POLL_MS, news.promise, gone.signal)
  }
}

async function isValid(
  { db, marks, clock }: Omit<Deps, 'bus'>,
  { user, grants, jti, token_id }: Caller,
): Promise<boolean> {
  const current = await findGrants({ db, marks }, user.id)
  if (current.join() !== grants.join()) return false
  if (token_id !== undefined) return hasApiToken(db, token_id, timestamp(clock))
  return hasSession(db, jti, timestamp(clock))
}
