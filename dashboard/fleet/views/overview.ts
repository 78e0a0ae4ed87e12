import type { Database } from '#dashboard/db/client.ts'
import { type Clock, timestamp } from '#dashboard/runtime/clock.ts'
import type { Attention, FleetServer } from '#shared/api/fleet.ts'
import {
  countOperations,
  countSites,
  type FleetServerRow,
  listFleetServers,
  listNeedySites,
} from './queries.ts'

interface Deps {
  db: Database
  clock: Clock
}

type Watched = Awaited<ReturnType<typeof listFleetServers>>[number]

const MOST_OF_A_KIND = 100
const DAY_MS = 24 * 3600_000

/** The whole fleet on one page: every server, the counts, and what a person should look at. */
export async function overview({ db, clock }: Deps) {
  const rows = await listFleetServers(db)
  const { sites, updates, updates_unknown } = await countSites(db)
  const operations = await countOperations(db, timestamp(clock, -DAY_MS))
  const counts = { servers: byStatus(rows), sites, operations, updates, updates_unknown }
  const servers = rows.map(({ services: _, ...server }) => withAge(clock, server))
  return { servers, counts, attention: [...troubles(rows), ...(await needySites(db))] }
}

/** Adds the seconds since the last sync, null before the first. */
export function withAge<T extends FleetServerRow>(
  clock: Clock,
  row: T,
): T & Pick<FleetServer, 'age'> {
  if (row.last_sync === null) return { ...row, age: null }
  const ms = clock.now().getTime() - Date.parse(row.last_sync)
  return { ...row, age: Math.max(0, Math.round(ms / 1000)) }
}

function byStatus(rows: readonly Watched[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

function troubles(rows: readonly Watched[]): Attention[] {
  const offline = rows.filter(({ status }) => status === 'offline')
  const broken = rows.flatMap((server) =>
    server.services
      .filter(({ status }) => status === 'failed')
      .map(({ name }) => trouble('service_failed', server, `${name} has failed`)),
  )
  return [
    ...offline.map((server) => trouble('server_offline', server, server.status_reason)),
    ...broken.slice(0, MOST_OF_A_KIND),
  ]
}

function trouble(kind: Attention['kind'], { id, name }: Watched, reason: string): Attention {
  return { kind, server_id: id, site_id: null, name, reason }
}

async function needySites(db: Database): Promise<Attention[]> {
  const kinds = [
    ['site_failed', 'failed'],
    ['site_missing', 'missing'],
    ['updates', 'updates'],
  ] as const
  const found = kinds.map(async ([kind, wanted]) => {
    const rows = await listNeedySites(db, wanted, MOST_OF_A_KIND)
    return rows.map(({ id, server_id, domain, status_reason }) => {
      const reason = kind === 'updates' ? 'Updates are available' : status_reason
      return { kind, server_id, site_id: id, name: domain, reason }
    })
  })
  return (await Promise.all(found)).flat()
}
