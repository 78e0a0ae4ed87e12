import type { Agents } from '#dashboard/agents/agents.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import type { SiteUsers } from '#shared/api/wp-login.ts'
import { wordpressUsersReading } from '#shared/readings/wordpress.ts'

/** Read from the site at each call, and not stored. */
export async function listSiteUsers(
  { agents }: { agents: Agents },
  { server, site }: SiteTarget,
): Promise<SiteUsers> {
  return agents.call(server, wordpressUsersReading, { domain: site.domain })
}
