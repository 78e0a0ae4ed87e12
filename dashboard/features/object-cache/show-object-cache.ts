import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { ObjectCacheView } from '#shared/object-cache/api/object-cache.ts'
import { MAX_OBJECT_MEMORY } from '#shared/object-cache/object-cache.ts'
import { objectCacheReading } from '#shared/sites/readings.ts'

/** Reads the object cache from the server of the site at each call, and stores nothing. */
export async function showObjectCache(
  { agents }: { agents: Agents },
  { server, site }: SiteTarget,
): Promise<ObjectCacheView> {
  const { domain } = site
  const answer = await agents.call(server, objectCacheReading, { domain })
  return { ...answer, most: MAX_OBJECT_MEMORY[site.tier] }
}
