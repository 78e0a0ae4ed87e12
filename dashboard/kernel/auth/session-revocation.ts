import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { sleepOrWake, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { hasApiToken } from './api-tokens.queries.ts'
import { hasSession } from './queries.ts'

type Deps = Pick<CommonDeps, 'db' | 'bus' | 'clock'>

/** The bus topic for ended sessions or tokens. */
export const SESSIONS_NEWS = 'sessions'

/** The interval of the check: the user may sign out at another dashboard on the same database. */
const POLL_MS = 60_000

/** Aborts the work of a session or token as soon as that has ended. */
export async function endWithSession(
  { db, bus, clock }: Deps,
  caller: Caller,
  gone: AbortController,
): Promise<void> {
  while (!gone.signal.aborted) {
    using news = bus.next(SESSIONS_NEWS)
    const valid = await isValid({ db, clock }, caller).catch(() => true)
    if (!valid) gone.abort()
    else await sleepOrWake(clock, POLL_MS, news.promise, gone.signal)
  }
}

async function isValid(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { jti, token_id }: Caller,
): Promise<boolean> {
  if (token_id !== undefined) return hasApiToken(db, token_id, timestamp(clock))
  return hasSession(db, jti, timestamp(clock))
}
