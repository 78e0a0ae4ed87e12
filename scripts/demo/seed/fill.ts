import type { Database } from '#dashboard/db/client.ts'
import { mail_settings, server_mail } from '#dashboard/db/mail-schema.ts'
import type { NewActivity } from '#dashboard/db/rows.ts'
import { activities, isolation_checks, servers, settings, sites } from '#dashboard/db/schema.ts'
import { server_web } from '#dashboard/db/web-schema.ts'
import type { Fleet } from '#scripts/demo/fleet/fleet.ts'
import { otherActivities } from './activities.ts'
import { fillBulks } from './bulks.ts'
import { insertRecorded, makeRecorder } from './history.ts'
import { insertAll } from './insert.ts'
import { isolationRows } from './isolation.ts'
import { mailReports, mailRows } from './mail.ts'
import { fillMetrics } from './metrics/fill-metrics.ts'
import { serverRows } from './servers.ts'
import { siteRows } from './sites.ts'
import { listStories } from './stories.ts'
import { fillTrust } from './trust.ts'
import { fillWaiting } from './waiting.ts'
import { webRows } from './web.ts'

/** The number of sites checked per minute, for any size of the fleet. */
const SITES_A_MINUTE = 400

/** The records of a dashboard that has managed the fleet for a long time. */
export async function fillRecords(db: Database, fleet: Fleet, now: number): Promise<void> {
  const rows = await serverRows(fleet, now)
  await insertAll(db, rows, (queries, some) => queries.insert(servers).values(some))
  await fillTrust(db, fleet, now)
  const all = await siteRows(fleet, now)
  await insertAll(db, all, (queries, some) => queries.insert(sites).values(some))
  const checks = isolationRows(fleet, now)
  await insertAll(db, checks, (queries, some) => queries.insert(isolation_checks).values(some))
  const mail = mailRows(fleet, now)
  await insertAll(db, mail, (queries, some) => queries.insert(mail_settings).values(some))
  const reports = mailReports(fleet, now)
  await insertAll(db, reports, (queries, some) => queries.insert(server_mail).values(some))
  const web = await webRows(fleet, now)
  await insertAll(db, web, (queries, some) => queries.insert(server_web).values(some))
  await fillMetrics(db, fleet, now)
  const record = await makeRecorder(fleet, now)
  const recorded = await insertRecorded(db, listStories(fleet.plan).map(record))
  const bulks = await fillBulks(db, fleet, { record, now })
  const waiting = await fillWaiting(db, fleet, now)
  const entries = [...recorded, ...bulks, ...waiting, ...otherActivities(fleet, now)].sort(byTime)
  await insertAll(db, entries, (queries, some) => queries.insert(activities).values(some))
  const value = 60 * Math.max(1, Math.ceil(all.length / SITES_A_MINUTE))
  const setting = { key: 'sync_interval', value }
  if (value > 60) await db.write((queries) => queries.insert(settings).values(setting))
}

const byTime = (one: NewActivity, other: NewActivity) =>
  one.created_at < other.created_at ? -1 : Number(one.created_at > other.created_at)
