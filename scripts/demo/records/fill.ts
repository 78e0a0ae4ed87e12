import type { Database } from '#dashboard/db/client.ts'
import { servers, sites } from '#dashboard/db/schema.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { insertAll } from './insert.ts'
import { serverRows } from './servers.ts'
import { siteRows } from './sites.ts'

/** Records as a dashboard has them that knows the fleet for long. */
export async function fillRecords(db: Database, fleet: Fleet, now: number): Promise<void> {
  const rows = await serverRows(fleet, now)
  await insertAll(db, rows, (queries, some) => queries.insert(servers).values(some))
  const all = await siteRows(fleet, now)
  await insertAll(db, all, (queries, some) => queries.insert(sites).values(some))
}
