import type { Agents } from '#dashboard/agents/agents.ts'
import { refuseOld } from '#dashboard/agents/old-agent.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import type { ObjectCacheView } from '#shared/api/object-cache.ts'
import { AgentObjectCache, MOST_OBJECT_MEMORY } from '#shared/object-cache.ts'

/** Read from the server of the site at each call, and not stored. */
export async function showObjectCache(
  { agents }: { agents: Agents },
  { server, site }: SiteTarget,
): Promise<ObjectCacheView> {
  const ask = (body: object) => agents.post(server, '/sites/object-cache', body, AgentObjectCache)
  const answer = await ask({ domain: site.domain }).catch((error: unknown) =>
    refuseOld(error, 'has no object caches', () => ask({})),
  )
  return { ...answer, most: MOST_OBJECT_MEMORY[site.tier] }
}
