import { inArray } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import type { HeldGrants, Part } from '#shared/kernel/rights.ts'
import { findGrants } from './grants.queries.ts'
import type { MarkedRecords } from './queries.ts'
import { type FleetPlaces, grantsWithin } from './token-limits.ts'

/** Returns what an account may do, or a token of it that is limited to parts of the fleet. */
export async function findGrantsWithin(
  records: MarkedRecords,
  user_id: number,
  only_for: readonly Part[] | null = null,
): Promise<HeldGrants> {
  const held = await findGrants(records, user_id)
  if (only_for === null) return held
  const places =
    held.parts.length > 0
      ? await findFleetPlaces(records.db, [...held.parts, ...only_for])
      : NO_PLACES
  return grantsWithin(held, only_for, places)
}

const NO_PLACES: FleetPlaces = { servers: new Map(), sites: new Map() }

/** Returns all servers, and the sites that the parts name, where one does. */
export async function findFleetPlaces(
  { read }: Pick<Database, 'read'>,
  parts: readonly Part[],
): Promise<FleetPlaces> {
  if (parts.length === 0) return NO_PLACES
  const ofServers = await read
    .select({ id: servers.id, name: servers.name, tags: servers.tags })
    .from(servers)
  const site_ids = [...new Set(parts.flatMap(({ site_id }) => site_id ?? []))]
  const ofSites =
    site_ids.length === 0
      ? []
      : await read
          .select({ id: sites.id, server_id: sites.server_id, domain: sites.domain })
          .from(sites)
          .where(inArray(sites.id, site_ids))
  return {
    servers: new Map(ofServers.map(({ id, ...server }) => [id, server])),
    sites: new Map(ofSites.map(({ id, ...site }) => [id, site])),
  }
}
