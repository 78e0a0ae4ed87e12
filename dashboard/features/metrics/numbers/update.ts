import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { AgentAddress } from '#dashboard/kernel/agents/transport.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import type { Log } from '#dashboard/kernel/runtime/log.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { DAY_S, MAX_DAYS, MINUTE_S, type SiteCount } from '#shared/metrics/site-numbers.ts'
import { numbersReading } from '#shared/sites/readings.ts'
import { deleteNumbers, readSince, storeCounts } from './queries.ts'

/** How long minutes and days are kept, in seconds. */
export const MINUTES_KEPT = 6 * 60 * MINUTE_S
export const DAYS_KEPT = 430 * 86_400

/** The time limit of a reading: a slow agent gets its next chance with the next one. */
const LIMIT_MS = 10_000

interface Deps {
  db: Database
  agents: Pick<Agents, 'call'>
  clock: Clock
  log: Log
}

/** Reads the numbers of a server since the last call; false, which is logged, on a failure. */
export async function updateNumbers(
  { db, agents, clock, log }: Deps,
  server: AgentAddress,
  limit_ms = LIMIT_MS,
): Promise<boolean> {
  const facts = { server_id: server.id }
  const since = String(await readSince(db, server.id))
  const signal = AbortSignal.timeout(limit_ms)
  try {
    const { entries } = await agents.call(server, numbersReading, { since }, { signal })
    const found = entries.filter((entry) => entry !== null)
    const bad = entries.length - found.length
    if (bad > 0)
      log.error(UNREAD_TEXT, new Error(`The agent sent malformed numbers: ${bad}`), facts)
    await storeCounts(db, server.id, found.map(withoutExpired(clock.now().getTime() / 1000)))
    return true
  } catch (error) {
    if (!(signal.aborted || error instanceof ServiceError)) throw error
    log.error(UNREAD_TEXT, signal.aborted ? signal.reason : error, facts)
    return false
  }
}

const UNREAD_TEXT = 'numbers of sites could not be read'

const MAX_CLOCK_DIFFERENCE = 3600

/** Leaves out times that the sweep would delete: an agent can store no more than a site has. */
const withoutExpired =
  (now: number) =>
  ({ minutes, days, ...site }: SiteCount): SiteCount => ({
    ...site,
    minutes: minutes.filter(({ at }) => at > now - MINUTES_KEPT && at < now + MAX_CLOCK_DIFFERENCE),
    days: days.filter(
      ({ at }) => at > now - (MAX_DAYS + 1) * DAY_S && at < now + MAX_CLOCK_DIFFERENCE,
    ),
  })

export async function sweepNumbers(db: Database, now: Date): Promise<void> {
  const today = now.getTime() / 1000
  await deleteNumbers(db, { minutes: today - MINUTES_KEPT, days: today - DAYS_KEPT })
}
