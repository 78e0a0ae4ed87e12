import type { Database } from '#dashboard/db/client.ts'
import { site_copies, staging_access } from '#dashboard/db/copies-schema.ts'
import { mail_settings, server_mail } from '#dashboard/db/mail-schema.ts'
import type { Marks } from '#dashboard/db/marks.ts'
import type { NewActivity } from '#dashboard/db/rows.ts'
import { activities, isolation_checks, servers, settings, sites } from '#dashboard/db/schema.ts'
import { server_web } from '#dashboard/db/web-schema.ts'
import type { Sealer } from '#dashboard/trust/seal.ts'
import type { Fleet } from '#scripts/demo/fleet/fleet.ts'
import { otherActivities } from './activities.ts'
import { fillBulks } from './bulks.ts'
import { copyRows } from './copies.ts'
import { insertRecorded, makeRecorder } from './history.ts'
import { insertAll } from './insert.ts'
import { fillMetrics } from './metrics/fill-metrics.ts'
import { fillNumbers } from './metrics/fill-numbers.ts'
import { fillPeople } from './people.ts'
import { isolationRows, mailReports, mailRows, webRows } from './reports.ts'
import { serverRows } from './servers.ts'
import { siteRows } from './sites.ts'
import { listStories } from './stories.ts'
import { fillTrust } from './trust.ts'
import { fillWaiting } from './waiting.ts'

/** The number of sites checked per minute, for any size of the fleet. */
const SITES_A_MINUTE = 400

/** The records of a dashboard that has managed the fleet for a long time. */
export async function fillRecords(
  { db, sealer, marks }: { db: Database; sealer: Sealer; marks: Marks },
  fleet: Fleet,
  now: number,
): Promise<void> {
  await insertAll(db, servers, await serverRows(fleet, now))
  await fillTrust({ db, marks }, fleet, now)
  const all = await siteRows(fleet, now)
  await insertAll(db, sites, all)
  const { copies, access } = copyRows(fleet.plan, sealer)
  await insertAll(db, site_copies, copies)
  await insertAll(db, staging_access, access)
  await insertAll(db, isolation_checks, isolationRows(fleet, now))
  await insertAll(db, mail_settings, mailRows(fleet, now))
  await insertAll(db, server_mail, mailReports(fleet, now))
  await insertAll(db, server_web, await webRows(fleet, now))
  await fillPeople(db, now)
  await fillMetrics(db, fleet, now)
  await fillNumbers(db, now)
  const record = await makeRecorder(fleet, now)
  const recorded = await insertRecorded(db, listStories(fleet.plan).map(record))
  const bulks = await fillBulks(db, fleet, { record, now })
  const waiting = await fillWaiting(db, fleet, now)
  const entries = [...recorded, ...bulks, ...waiting, ...otherActivities(fleet, now)].sort(byTime)
  await insertAll(db, activities, entries)
  await insertAll(db, settings, [{ key: 'client_accounts', value: true }])
  const value = 60 * Math.max(1, Math.ceil(all.length / SITES_A_MINUTE))
  if (value > 60) await insertAll(db, settings, [{ key: 'sync_interval', value }])
}

const byTime = (one: NewActivity, other: NewActivity) =>
  one.created_at < other.created_at ? -1 : Number(one.created_at > other.created_at)
