import type { Database } from '#dashboard/db/client.ts'
import type { NewActivity } from '#dashboard/db/rows.ts'
import { operations } from '#dashboard/db/schema.ts'
import type { Fleet } from '#scripts/demo/fleet/fleet.ts'
import { HOUR_MS, stamp } from '#scripts/demo/time.ts'
import { offline } from '#shared/errors.ts'
import { activityOf, newOperation } from './history.ts'
import { placesOf } from './stories.ts'

const REQUESTED_MS = 11 * 60_000
/** Longer than usual: the story lasts as long as somebody watches. */
const DEADLINE_MS = 12 * HOUR_MS

/** An operation that waits for an offline server; it runs when the server is online again. */
export async function fillWaiting(db: Database, fleet: Fleet, now: number): Promise<NewActivity[]> {
  const place = placesOf(fleet.plan).find(
    ({ server, site: { plan } }) => server.role === 'flaky' && plan.managed,
  )
  if (!place) return []
  const { domain, tier } = place.site.plan
  const params = { domain, tier: tier === 'large' ? 'medium' : 'large' }
  const story = {
    ...place,
    type: 'site.update',
    kind: 'updated',
    params,
    at: REQUESTED_MS,
  } as const
  const row = {
    ...newOperation(story, 'waits-for-a-server-now', now - REQUESTED_MS),
    error: offline(`The agent on ${place.server.hostname}:8443 refused the connection`).body,
    attempts: 24,
    next_at: stamp(now + 5_000),
    deadline_at: stamp(now + DEADLINE_MS),
  }
  await db.write((queries) => queries.insert(operations).values(row))
  return [activityOf(row)]
}
