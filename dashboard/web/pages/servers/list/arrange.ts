import type { FleetServer } from '#shared/overview/api/fleet.ts'
import type { ServerSort, ServersSearch } from './search.ts'

const inOrder = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })
/** Servers that need attention come first. */
const RANKS = { offline: 0, pending: 1, online: 2 }

const VALUES: Record<ServerSort, (server: FleetServer) => string | number | undefined> = {
  name: ({ name }) => name,
  status: ({ status }) => RANKS[status],
  cpu: ({ metrics }) => metrics?.cpu,
  memory: ({ metrics }) => shareOf(metrics?.ram),
  disk: ({ metrics }) => shareOf(metrics?.disk),
  sites: ({ sites_count }) => sites_count,
  version: ({ version }) => version || undefined,
  age: contactAge,
}

/** Seconds since its last answer; undefined before the first time. */
function contactAge({ age, metrics_age }: FleetServer): number | undefined {
  const ages = [age, metrics_age].filter((value) => value !== null)
  return ages.length > 0 ? Math.min(...ages) : undefined
}

/** Between 0 and 1; undefined while nothing is known. */
export function shareOf(space: { used: number; total: number } | undefined): number | undefined {
  return space && space.total > 0 ? space.used / space.total : undefined
}

/** The matching servers in the requested order; unknown values come last in both directions. */
export function arrange(servers: readonly FleetServer[], search: ServersSearch): FleetServer[] {
  const { q = '', status, tag, sort = 'name', order } = search
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const matching = servers.filter(
    (server) =>
      (!status || status.split(',').includes(server.status)) &&
      (!tag || server.tags.includes(tag)) &&
      words.every((word) => textOf(server).includes(word)),
  )
  const value = VALUES[sort]
  const sign = order === 'desc' ? -1 : 1
  return matching.sort((a, b) => compare(value(a), value(b), sign) || compare(a.name, b.name, 1))
}

function textOf({ name, hostname, tags, os, version }: FleetServer): string {
  return [name, hostname, ...tags, os, version].join('\n').toLowerCase()
}

type Value = string | number | undefined

function compare(a: Value, b: Value, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b)
  return sign * inOrder.compare(String(a), String(b))
}
