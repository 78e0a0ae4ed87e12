import { backupTroubles } from '#dashboard/features/overview/attention/backups.ts'
import { changedRecords } from '#dashboard/features/overview/attention/changed-records.ts'
import { identityTroubles } from '#dashboard/features/overview/attention/identity.ts'
import { isolationTroubles } from '#dashboard/features/overview/attention/isolation.ts'
import { inOrder } from '#dashboard/features/overview/attention/item.ts'
import { jobTroubles } from '#dashboard/features/overview/attention/jobs.ts'
import { mailTroubles } from '#dashboard/features/overview/attention/mail.ts'
import { maintenanceTroubles } from '#dashboard/features/overview/attention/maintenance.ts'
import { offSiteTrouble } from '#dashboard/features/overview/attention/off-site.ts'
import { serverTroubles } from '#dashboard/features/overview/attention/servers.ts'
import { siteTroubles } from '#dashboard/features/overview/attention/sites.ts'
import { listNames, listSilent } from '#dashboard/features/overview/parts/queries.ts'
import { countByServer, countsOf, listGroups } from '#dashboard/features/overview/parts/sites.ts'
import { listIsolation } from '#dashboard/features/servers/isolation/queries.ts'
import { listMaintenance } from '#dashboard/features/servers/maintenance/queries.ts'
import { listVersions } from '#dashboard/features/sites/listing/versions.queries.ts'
import type { Base } from '#dashboard/kernel/db/base.ts'
import { keptValue } from '#dashboard/kernel/db/kept.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import { breathe } from '#dashboard/kernel/runtime/breathe.ts'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import { countOperations, type FleetServerRow, listFleetServers } from './queries.ts'

type Deps = Pick<Base, 'db' | 'clock'> & {
  marks: Marks
  /** Whether the dashboard backs up its own records. */
  off_site?: boolean
}

type Watched = Awaited<ReturnType<typeof listFleetServers>>[number]

const DAY_MS = 24 * 3600_000

/**
 * How long it may take until a time has its effect, such as the end of a certificate, or the contact
 * after which a failed sync is no item any more.
 */
const KEPT_MS = 5_000

/** Other requests run after each part: in a large fleet all of them together take long. */
async function piece<T>(work: Promise<T>): Promise<T> {
  const result = await work
  await breathe()
  return result
}

/** The counts, and the attention items of everything but servers. */
const withoutServers = keptValue(async ({ db, marks }: Deps, now) => {
  const since = new Date(now.getTime() - DAY_MS).toISOString()
  const versions = await listVersions(db)
  const groups = await listGroups(db, versions.sites, { now, context: now })
  const silent = await listSilent(db, now)
  const { sites, health, updates, updates_unknown } = countsOf(groups, silent)
  const operations = await piece(countOperations(db, since))
  const named = await piece(listNames(db))
  const systems = new Map(named.map(({ id, os }) => [id, os]))
  const names = new Map(named.map(({ id, name }) => [id, name]))
  const changed = await piece(changedRecords({ db, marks }))
  const ofSites = await piece(siteTroubles(db, { groups, silent, systems, now, since }))
  const identity = await piece(identityTroubles(db))
  const isolation = isolationTroubles(await piece(listIsolation(db)), now)
  const maintenance = maintenanceTroubles(await piece(listMaintenance(db)))
  const mail = await piece(mailTroubles(db, now))
  const jobs = await piece(jobTroubles(db))
  const backups = await piece(backupTroubles(db, { versions: versions.backups, names, now, since }))
  return {
    by_server: countByServer(groups),
    counts: { sites, health, operations, updates, updates_unknown },
    attention: [
      ...[...changed, ...identity, ...isolation, ...maintenance, ...mail, ...jobs],
      ...[...ofSites, ...backups],
    ],
  }
}, KEPT_MS)

/** The whole fleet on one page: every server, the counts, and the attention items. */
export async function overview(deps: Deps) {
  const { db, clock, off_site = true } = deps
  const { by_server, counts, attention } = await withoutServers(deps, clock.now())
  const offSite = off_site ? await offSiteTrouble(db, clock.now()) : []
  const rows = await listFleetServers(db)
  const servers = rows.map(({ services: _, imports_refused: __, lost_at: ___, ...server }) =>
    withAge(clock, { ...server, sites_count: by_server.get(server.id) ?? 0 }),
  )
  return {
    servers,
    counts: { servers: byStatus(rows), ...counts },
    attention: inOrder([...serverTroubles(rows), ...attention, ...offSite]),
  }
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
