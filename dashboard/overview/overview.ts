import type { Base } from '#dashboard/db/base.ts'
import { type Clock, timestamp } from '#dashboard/runtime/clock.ts'
import { listIsolation } from '#dashboard/servers/isolation/queries.ts'
import { listMaintenance } from '#dashboard/servers/maintenance/queries.ts'
import type { FleetServer } from '#shared/api/fleet.ts'
import { backupTroubles } from './attention/backups.ts'
import { isolationTroubles } from './attention/isolation.ts'
import { inOrder } from './attention/item.ts'
import { jobTroubles } from './attention/jobs.ts'
import { mailTroubles } from './attention/mail.ts'
import { maintenanceTroubles } from './attention/maintenance.ts'
import { offSiteTrouble } from './attention/off-site.ts'
import { serverTroubles } from './attention/servers.ts'
import { siteTroubles } from './attention/sites.ts'
import { countOperations, countSites, type FleetServerRow, listFleetServers } from './queries.ts'

type Deps = Pick<Base, 'db' | 'clock'>

type Watched = Awaited<ReturnType<typeof listFleetServers>>[number]

const DAY_MS = 24 * 3600_000

/** The whole fleet on one page: every server, the counts, and the attention items. */
export async function overview({ db, clock }: Deps) {
  const rows = await listFleetServers(db)
  const { sites, health, updates, updates_unknown } = await countSites(db, clock.now())
  const since = timestamp(clock, -DAY_MS)
  const operations = await countOperations(db, since)
  const counts = { servers: byStatus(rows), sites, health, operations, updates, updates_unknown }
  const servers = rows.map(({ services: _, imports_refused: __, ...server }) =>
    withAge(clock, server),
  )
  const systems = new Map(rows.map(({ id, os }) => [id, os]))
  const ofSites = await siteTroubles(db, { systems, now: clock.now(), since })
  const isolation = isolationTroubles(await listIsolation(db), clock.now())
  const maintenance = maintenanceTroubles(await listMaintenance(db))
  const mail = await mailTroubles(db, clock.now())
  const jobs = await jobTroubles(db)
  const backups = await backupTroubles(db, { now: clock.now(), since })
  const offSite = await offSiteTrouble(db, clock.now())
  const ofServers = [...serverTroubles(rows), ...isolation, ...maintenance, ...mail, ...jobs]
  const attention = inOrder([...ofServers, ...ofSites, ...backups, ...offSite])
  return { servers, counts, attention }
}

/** Adds the seconds since the last sync and the last reading, null before the first. */
export function withAge<T extends FleetServerRow>(
  clock: Clock,
  row: T,
): T & Pick<FleetServer, 'age' | 'metrics_age'> {
  const since = (time: string | null) => {
    if (time === null) return null
    return Math.max(0, Math.round((clock.now().getTime() - Date.parse(time)) / 1000))
  }
  return { ...row, age: since(row.last_sync), metrics_age: since(row.metrics_at) }
}

function byStatus(rows: readonly Watched[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
