import { inArray, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import type { HeldPartGrant } from '#shared/access/api/accounts.ts'
import { invalid } from '#shared/kernel/errors.ts'
import type { PartGrant } from '#shared/kernel/rights.ts'

/** The names of the parts of the fleet that grants are on. */
export interface PartNames {
  servers: ReadonlyMap<number, string>
  sites: ReadonlyMap<number, string>
  tags: ReadonlySet<string>
}

/** Returns the names of the servers, sites and tags of grants that exist. */
export async function findPartNames(db: Database, parts: readonly PartGrant[]): Promise<PartNames> {
  const server_ids = parts.flatMap(({ server_id }) => server_id ?? [])
  const site_ids = parts.flatMap(({ site_id }) => site_id ?? [])
  const tagged = parts.some(({ tag }) => tag !== null)
  const ofServers = await db.read
    .select({ id: servers.id, name: servers.name })
    .from(servers)
    .where(inArray(servers.id, server_ids))
  const ofSites = await db.read
    .select({ id: sites.id, domain: sites.domain })
    .from(sites)
    .where(inArray(sites.id, site_ids))
  const tags = tagged
    ? await db.read.all<{ tag: string }>(
        sql`select distinct tag.value as tag from servers, json_each(servers.tags) as tag`,
      )
    : []
  return {
    servers: new Map(ofServers.map(({ id, name }) => [id, name])),
    sites: new Map(ofSites.map(({ id, domain }) => [id, domain])),
    tags: new Set(tags.map(({ tag }) => tag)),
  }
}

/** Whether the server or the site of a grant exists. */
export const isKnownPart = ({ server_id, site_id }: PartGrant, names: PartNames): boolean =>
  (server_id === null || names.servers.has(server_id)) &&
  (site_id === null || names.sites.has(site_id))

/** Throws 422 for grants on a server, a site or a tag that does not exist, and for the same twice. */
export function refuseUnknownParts(parts: readonly PartGrant[], names: PartNames): void {
  const seen = new Set<string>()
  for (const [at, part] of parts.entries()) {
    const { tag, server_id, site_id } = part
    const refuse = (field: string, text: string) =>
      invalid({ parts: [`Entry ${at + 1}, ${field}: ${text}`] })
    if (site_id !== null && !names.sites.has(site_id))
      throw refuse('site_id', `Site ${site_id} does not exist`)
    if (server_id !== null && !names.servers.has(server_id))
      throw refuse('server_id', `Server ${server_id} does not exist`)
    if (tag !== null && !names.tags.has(tag)) throw refuse('tag', `No server has the tag ${tag}`)
    const text = JSON.stringify(part)
    if (seen.has(text)) throw invalid({ parts: [`Entry ${at + 1}: Is given twice`] })
    seen.add(text)
  }
}

/** Returns the grants with the names of the servers and sites that they are on. */
export const showParts = (parts: readonly PartGrant[], names: PartNames): HeldPartGrant[] =>
  parts.map(({ gives, tag, server_id, site_id }) => ({
    gives,
    tag,
    server_id,
    server: server_id === null ? null : (names.servers.get(server_id) ?? null),
    site_id,
    site: site_id === null ? null : (names.sites.get(site_id) ?? null),
  }))
