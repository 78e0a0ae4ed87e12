import type { Agents } from '#dashboard/agents/agents.ts'
import type { Address } from '#dashboard/agents/transport.ts'
import type { Database } from '#dashboard/db/client.ts'
import { ServiceError } from '#shared/errors.ts'
import { MINUTE_S, SiteCount } from '#shared/site-numbers.ts'
import { deleteNumbers, readSince, storeCounts } from './queries.ts'

/** How long minutes and days are kept, in seconds. */
export const MINUTES_KEPT = 6 * 60 * MINUTE_S
export const DAYS_KEPT = 366 * 86_400

/** Reads what a server has counted since the last time. An older agent counts nothing. */
export async function updateNumbers(
  { db, agents }: { db: Database; agents: Agents },
  server: Address,
): Promise<void> {
  const path = `/sites/numbers?since=${await readSince(db, server.id)}`
  try {
    const { entries } = await agents.list(server, path, { key: 'sites', entry: SiteCount })
    await storeCounts(db, server.id, entries)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
}

export async function sweepNumbers(db: Database, now: Date): Promise<void> {
  const today = now.getTime() / 1000
  await deleteNumbers(db, { minutes: today - MINUTES_KEPT, days: today - DAYS_KEPT })
}
