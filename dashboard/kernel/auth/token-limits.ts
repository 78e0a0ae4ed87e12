import type { LimitPart } from '#shared/kernel/api/auth.ts'
import { invalid } from '#shared/kernel/errors.ts'
import {
  type HeldGrants,
  isOn,
  type Part,
  type PartGrant,
  type Place,
  RIGHTS_ON_OBJECTS,
  rightsAt,
} from '#shared/kernel/rights.ts'

/** The servers of the fleet with their tags, and sites with their servers. */
export interface FleetPlaces {
  servers: ReadonlyMap<number, { name: string; tags: readonly string[] }>
  sites: ReadonlyMap<number, { server_id: number; domain: string }>
}

/**
 * Returns the grants that a token has of those of its account: each only where a part of the limits
 * and the grant overlap. The accounts belong to no part, so that an owner is an admin there.
 */
export function grantsWithin(
  { grants, parts }: HeldGrants,
  only_for: readonly Part[],
  places: FleetPlaces,
): HeldGrants {
  const inFleet = grants.flatMap((grant) =>
    only_for.map((part) => grantOn(part, grant === 'owner' ? 'admin' : grant)),
  )
  const onParts = parts.flatMap((held) =>
    only_for.flatMap((limit) =>
      overlapOf(held, limit, places).map((part) => grantOn(part, held.gives)),
    ),
  )
  const unique = new Map([...inFleet, ...onParts].map((one) => [JSON.stringify(one), one]))
  return { grants: [], parts: [...unique.values()] }
}

const grantOn = ({ tag, server_id, site_id }: Part, gives: PartGrant['gives']): PartGrant => ({
  gives,
  tag,
  server_id,
  site_id,
})

/** Returns the parts that two parts have in common: of two tags, the servers with both. */
function overlapOf(one: Part, other: Part, places: FleetPlaces): Part[] {
  const [smaller, larger] = sizeOf(one) <= sizeOf(other) ? [one, other] : [other, one]
  const { tag } = smaller
  if (tag === null) {
    const place = placeOf(smaller, places)
    return place && isOn(larger, place) ? [smaller] : []
  }
  if (tag === larger.tag) return [smaller]
  return [...places.servers]
    .filter(([, { tags }]) => tags.includes(tag) && tags.includes(larger.tag ?? ''))
    .map(([server_id]) => ({ tag: null, server_id, site_id: null }))
}

function sizeOf({ server_id, site_id }: Part): number {
  if (site_id !== null) return 0
  return server_id === null ? 2 : 1
}

/** Returns where a server or a site is; undefined for one that does not exist. */
function placeOf({ server_id, site_id }: Part, places: FleetPlaces): Place | undefined {
  const on = site_id === null ? server_id : places.sites.get(site_id)?.server_id
  const server = places.servers.get(on ?? 0)
  return server && { server_id: on ?? 0, site_id, tags: server.tags }
}

const maySee = (held: HeldGrants, place: Place): boolean =>
  rightsAt(held, place).some((right) => RIGHTS_ON_OBJECTS.some((one) => one === right))

/** Whether somebody has rights on a server or a site, or on a server with a tag. */
function isVisible(held: HeldGrants, part: Part, places: FleetPlaces): boolean {
  const { tag } = part
  if (tag !== null)
    return [...places.servers].some(
      ([server_id, { tags }]) =>
        tags.includes(tag) && maySee(held, { server_id, site_id: null, tags }),
    )
  const place = placeOf(part, places)
  return place !== undefined && maySee(held, place)
}

/** Throws 422 for parts that do not exist; what somebody may not see does not exist for them. */
export function refuseUnknownLimits(
  held: HeldGrants,
  only_for: readonly Part[] | null,
  places: FleetPlaces,
): void {
  for (const [at, part] of (only_for ?? []).entries()) {
    if (isVisible(held, part, places)) continue
    const { tag, server_id, site_id } = part
    const text =
      tag === null
        ? `${site_id === null ? `Server ${server_id}` : `Site ${site_id}`} does not exist`
        : `No server has the tag ${tag}`
    throw invalid({ only_for: [`Entry ${at + 1}: ${text}`] })
  }
}

/** Returns parts with the names of the servers and sites that somebody may see. */
export const showLimits = (
  held: HeldGrants,
  only_for: readonly Part[],
  places: FleetPlaces,
): LimitPart[] =>
  only_for.map((part) => {
    const { tag, server_id, site_id } = part
    const seen = isVisible(held, part, places)
    const server = (seen && places.servers.get(server_id ?? 0)?.name) || null
    const site = (seen && places.sites.get(site_id ?? 0)?.domain) || null
    return { tag, server_id, server, site_id, site }
  })
